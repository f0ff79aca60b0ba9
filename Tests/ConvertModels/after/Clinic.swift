import RealmSwift
import class Foundation.NSDate
import Foundation

public enum ClinicUrgency: Int32, PersistableEnum, CaseIterable {
    case low = 1, high
    var title: String { self == .low ? "low" : "high" }
}

open class ClinicPerson: Object {
    @Persisted open var givenName = ""
    @Persisted open var familyName = ""
    @Persisted open var born: Date?
    @Persisted var photo: Data?
    @Persisted private var secret = "x"
    private var cache: [String: Int] = [:]
    var fullName: String { givenName + " " + familyName }
    weak var delegate: AnyObject?
}

public final class ClinicPatient: ClinicPerson {
    @Persisted public var urgency: ClinicUrgency = .low
    @Persisted public var weight: Double?
    @Persisted public var height: Double?
    @Persisted public var extra: AnyRealmValue
    @Persisted public var visits: List<ClinicVisit>
    @Persisted public var allergies: MutableSet<String>
    @Persisted public var notes: Map<String, String?>
    @Persisted public var doctor: ClinicDoctor?

    public override static func indexedProperties() -> [String] { ["familyName", "born"] }

    /// Quetelet's.
    public var index: Double? {
        guard let weight = weight, let height = height, height > 0 else { return nil }
        return weight / (height * height)
    }

    public func weigh(_ value: Double) {
        weight = value
        if case .none = extra { extra = .double(value) }
    }
}

public class ClinicDoctor: ClinicPerson {
    @Persisted(primaryKey: true) public var licence: String = ""
    @Persisted public var chief: ClinicDoctor?
    @Persisted(originProperty: "doctor") public var patients: LinkingObjects<ClinicPatient>
}

public class ClinicVisit: EmbeddedObject {
    @Persisted public var at: Date = .init()
    @Persisted public var reason: String = ""
    // FIXME: Strata: Realm did not run the observers of minutes for stored objects; here each assignment does
    @Persisted public var minutes = 15 { didSet { assert(minutes > 0) } }
}
