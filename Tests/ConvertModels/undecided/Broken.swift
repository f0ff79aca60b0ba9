class Broken: Object {
    @objc dynamic var name = "
}
