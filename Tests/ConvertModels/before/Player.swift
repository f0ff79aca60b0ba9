import Foundation
import RealmSwift

// MARK: - Protocols and generics

protocol PlayerIdentified { associatedtype Key; var key: Key { get } }

/// Not a model, though it is generic over them.
final class PlayerStore<Model: Object> where Model: PlayerIdentified {
    private let realm: Realm
    var value = 0
    init(_ realm: Realm) { self.realm = realm }
    func all(_ filter: String? = nil) -> Results<Model> {
        let all = realm.objects(Model.self)
        return filter.map { all.filter($0) } ?? all
    }
}

class PlayerTrack: Object, PlayerIdentified {
    @objc dynamic var _id = ObjectId.generate()
    @objc dynamic var title = "Untitled", artist: String? = nil
    @objc dynamic var seconds: Double = 0.0
    @objc dynamic var playCount: Int = 0
    @objc dynamic var isLoved: Bool = false
    @objc dynamic var cover: PlayerCover?
    let rating = RealmOptional<Int8>()
    @objc dynamic var genreRaw: String = PlayerGenre.other.rawValue
    lazy var formatter: NumberFormatter = NumberFormatter()
    var key: ObjectId { _id }

    override class func primaryKey() -> String? { "_id" }
    override class func indexedProperties() -> [String] { ["title"] }

    @objc dynamic var loved: String { isLoved ? "yes" : "no" }
}

enum PlayerGenre: String, CaseIterable { case rock, jazz, other }

extension PlayerTrack {
    var genre: PlayerGenre {
        get { return PlayerGenre(rawValue: genreRaw)! }
        set { genreRaw = newValue.rawValue }
    }
    func rate(_ stars: Int8?) { rating.value = stars }
    static func best(_ tracks: [PlayerTrack]) -> PlayerTrack? {
        tracks.max { ($0.rating.value ?? 0) < ($1.rating.value ?? 0) }
    }
}

class PlayerCover: EmbeddedObject {
    @objc dynamic var bytes = Data()
    @objc dynamic var width = 0, height = 0
}

class PlayerList: Object {
    @objc dynamic var name = ""
    @objc dynamic var parent: PlayerList?
    let tracks = List<PlayerTrack>()
    let children = LinkingObjects(fromType: PlayerList.self, property: "parent")
    let colours = List<Int?>()
    let byName = Map<String, PlayerTrack?>()
    @objc dynamic var position: Int = 0 {
        didSet {
            // The order on the screen.
            guard position != oldValue else { return }
        }
    }

    convenience init(name: String) { self.init(); self.name = name }
}
