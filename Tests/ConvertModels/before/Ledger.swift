// Ledger.swift -- accounts of a small bank.
import Foundation
import RealmSwift

/// What everything that is kept has.
class LedgerBase: RealmSwift.Object {
    @objc dynamic var uuid: String = UUID().uuidString
    @objc dynamic var created: Date! = Date()
    @objc private(set) dynamic var revision = 0

    override open class func primaryKey() -> String? {
        #keyPath(LedgerBase.uuid)
    }

    func bump() { revision += 1 }
}

final class LedgerAccount: LedgerBase {

    enum Kind: String { case cash, savings }

    /* The number on the card. */
    @objc dynamic var number = ""  // as printed
    @objc dynamic var balance: Int64 = 0 {
        willSet { previous = balance }
        didSet { if balance < 0 { overdrawn = true } }
    }
    @objc dynamic private var kindRaw = Kind.cash.rawValue
    var kind: Kind {
        get { Kind(rawValue: kindRaw) ?? .cash }
        set { kindRaw = newValue.rawValue }
    }
    let limit: RealmOptional<Double> = RealmOptional<Double>()
    let rate = RealmSwift.RealmOptional<Float>()
    let entries: RealmSwift.List<LedgerEntry> = .init()
    let owners = LinkingObjects(fromType: LedgerOwner.self, property: "accounts")
    var previous: Int64 = 0
    var overdrawn = false

    static override func indexedProperties() -> [String] {
        return ["number", "revision"]
    }

    override class func ignoredProperties() -> [String] {
        return [
            "previous",  // only while it is changed
            "overdrawn",
        ]
    }

    var available: Double { Double(balance) + (limit.value ?? 0) }
    func raise(by amount: Double) { limit.value = (self.limit.value ?? 0) + amount }
}

class LedgerEntry: EmbeddedObject {
    @objc dynamic var amount: Int64 = 0
    @objc dynamic var text: String?
    @objc dynamic var bookedAt: Date = Date(timeIntervalSince1970: 0)
    #if DEBUG
    @objc dynamic var trace: String = ""
    #endif
    let account = LinkingObjects(fromType: LedgerAccount.self, property: #keyPath(LedgerAccount.entries))
}

class LedgerOwner: Object {
    @objc dynamic var id = 0
    @objc dynamic var name: String = ""
    @objc dynamic var main: LedgerAccount!
    let accounts = List<LedgerAccount>()

    override static func primaryKey() -> String? { return "id" }
}

extension LedgerOwner {
    var total: Int64 { accounts.sum(ofProperty: "balance") }
    var limits: [Double] { accounts.compactMap { $0.limit.value } }
}
