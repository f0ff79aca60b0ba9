// Ledger.swift -- accounts of a small bank.
import Foundation
import RealmSwift

/// What everything that is kept has.
class LedgerBase: RealmSwift.Object {
    @Persisted(primaryKey: true) var uuid: String = UUID().uuidString
    @Persisted var created: Date! = Date()
    @Persisted private(set) var revision = 0

    func bump() { revision += 1 }
}

final class LedgerAccount: LedgerBase {

    enum Kind: String { case cash, savings }

    /* The number on the card. */
    @Persisted var number = ""  // as printed
    // FIXME: Strata: Realm did not run the observers of balance for stored objects; here each assignment does
    @Persisted var balance: Int64 = 0 {
        willSet { previous = balance }
        didSet { if balance < 0 { overdrawn = true } }
    }
    @Persisted private var kindRaw = Kind.cash.rawValue
    var kind: Kind {
        get { Kind(rawValue: kindRaw) ?? .cash }
        set { kindRaw = newValue.rawValue }
    }
    @Persisted var limit: Double?
    @Persisted var rate: Float?
    @Persisted var entries: List<LedgerEntry>
    @Persisted(originProperty: "accounts") var owners: LinkingObjects<LedgerOwner>
    var previous: Int64 = 0
    var overdrawn = false

    static override func indexedProperties() -> [String] {
        return ["number", "revision"]
    }

    var available: Double { Double(balance) + (limit ?? 0) }
    func raise(by amount: Double) { limit = (self.limit ?? 0) + amount }
}

class LedgerEntry: EmbeddedObject {
    @Persisted var amount: Int64 = 0
    @Persisted var text: String?
    @Persisted var bookedAt: Date = Date(timeIntervalSince1970: 0)
    #if DEBUG
    @Persisted var trace: String = ""
    #endif
    @Persisted(originProperty: "entries") var account: LinkingObjects<LedgerAccount>
}

class LedgerOwner: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name: String = ""
    @Persisted var main: LedgerAccount!
    @Persisted var accounts: List<LedgerAccount>
}

extension LedgerOwner {
    var total: Int64 { accounts.sum(ofProperty: "balance") }
    var limits: [Double] { accounts.compactMap { $0.limit } }
}
