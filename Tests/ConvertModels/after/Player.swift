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
    @Persisted(primaryKey: true) var _id = ObjectId.generate()
    @Persisted(indexed: true) var title = "Untitled"
    @Persisted var artist: String?
    @Persisted var seconds: Double = 0.0
    @Persisted var playCount: Int = 0
    @Persisted var isLoved: Bool = false
    @Persisted var cover: PlayerCover?
    @Persisted var rating: Int8?
    @Persisted var genreRaw: String = PlayerGenre.other.rawValue
    lazy var formatter: NumberFormatter = NumberFormatter()
    var key: ObjectId { _id }

    var loved: String { isLoved ? "yes" : "no" }
}

enum PlayerGenre: String, CaseIterable { case rock, jazz, other }

extension PlayerTrack {
    var genre: PlayerGenre {
        get { return PlayerGenre(rawValue: genreRaw)! }
        set { genreRaw = newValue.rawValue }
    }
    func rate(_ stars: Int8?) { rating = stars }
    static func best(_ tracks: [PlayerTrack]) -> PlayerTrack? {
        tracks.max { ($0.rating ?? 0) < ($1.rating ?? 0) }
    }
}

class PlayerCover: EmbeddedObject {
    @Persisted var bytes = Data()
    @Persisted var width = 0
    @Persisted var height = 0
}

class PlayerList: Object {
    @Persisted var name = ""
    @Persisted var parent: PlayerList?
    @Persisted var tracks: List<PlayerTrack>
    @Persisted(originProperty: "parent") var children: LinkingObjects<PlayerList>
    @Persisted var colours: List<Int?>
    @Persisted var byName: Map<String, PlayerTrack?>
    // FIXME: Strata: Realm did not run the observers of position for stored objects; here each assignment does
    @Persisted var position: Int = 0 {
        didSet {
            // The order on the screen.
            guard position != oldValue else { return }
        }
    }

    convenience init(name: String) { self.init(); self.name = name }
}
