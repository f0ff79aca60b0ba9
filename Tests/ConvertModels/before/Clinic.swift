import RealmSwift
import class Foundation.NSDate
import Foundation

@objc public enum ClinicUrgency: Int32, RealmEnum, CaseIterable {
    case low = 1, high
    var title: String { self == .low ? "low" : "high" }
}

@objcMembers open class ClinicPerson: Object {
    open dynamic var givenName = "", familyName = ""
    open dynamic var born: Date?
    dynamic var photo: Data?
    private dynamic var secret = "x"
    private var cache: [String: Int] = [:]
    var fullName: String { givenName + " " + familyName }
    weak var delegate: AnyObject?

    open override class func ignoredProperties() -> [String] { ["delegate", "fullName"] }
}

@objcMembers public final class ClinicPatient: ClinicPerson {
    public dynamic var urgency: ClinicUrgency = .low
    public let weight = RealmProperty<Double?>(), height = RealmProperty<Double?>()
    public let extra = RealmProperty<AnyRealmValue>()
    public let visits = List<ClinicVisit>()
    public let allergies = MutableSet<String>()
    public let notes = Map<String, String?>()
    public dynamic var doctor: ClinicDoctor? = nil

    public override static func indexedProperties() -> [String] { ["familyName", "born"] }

    /// Quetelet's.
    public var index: Double? {
        guard let weight = weight.value, let height = height.value, height > 0 else { return nil }
        return weight / (height * height)
    }

    public func weigh(_ value: Double) {
        weight.value = value
        if case .none = extra.value { extra.value = .double(value) }
    }
}

public class ClinicDoctor: ClinicPerson {
    @objc public dynamic var licence: String = ""
    @objc public dynamic var chief: ClinicDoctor?
    public let patients = LinkingObjects<ClinicPatient>(fromType: ClinicPatient.self, property: "doctor")

    public override class func primaryKey() -> String? { return #keyPath(licence) }
}

@objc(ClinicVisit)
public class ClinicVisit: EmbeddedObject {
    @objc public dynamic var at: Date = .init(), reason: String = ""
    @objc public dynamic var minutes = 15 { didSet { assert(minutes > 0) } }
}
