import RealmSwift
import Foundation

extension JournalMood: PersistableEnum {}

enum JournalMood: Int {
    case calm, glad
}

class JournalEntry: Object {

    // FIXME: Strata: Realm did not run the observers of text for stored objects; here each assignment does
    @Persisted var text = "" {
        didSet { changes += 1 }
    }
    @Persisted var mood: JournalMood = .calm
    // FIXME: Strata: NSDate was stored as Date; what reads the property may have to follow
    @Persisted var writtenAt: Date?
    #if os(Linux)
    @Persisted var host = "linux"
    #else
    @Persisted var host = "apple"
    #endif
    var changes = 0

    required init() { super.init() }
}

extension JournalEntry {
    var summary: String { "\(mood): \(text)" }
}

/// Not stored; its marks are its own affair.
class JournalWindow {
    var value = 0
}
