import Foundation

class DoubtItem: NSObject {
    @objc dynamic var title = ""
}

class DoubtSubItem: DoubtItem {
    @objc dynamic var subtitle = ""
}
