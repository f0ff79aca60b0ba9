import Realm
import RealmSwift
import Foundation

extension JournalMood: RealmEnum {}

@objc enum JournalMood: Int {
    case calm, glad
}

class JournalEntry: Object {

    @objc dynamic var text = "" {
        didSet { changes += 1 }
    }
    @objc dynamic var mood: JournalMood = .calm
    @objc dynamic var writtenAt: NSDate?
    #if os(Linux)
    @objc dynamic var host = "linux"
    #else
    @objc dynamic var host = "apple"
    #endif
    var changes = 0

    required init() { super.init() }

    required init(realm: RLMRealm, schema: RLMObjectSchema) {
        super.init(realm: realm, schema: schema)
    }

    required init(value: Any, schema: RLMSchema) {
        super.init(value: value, schema: schema)
    }
}

extension JournalEntry {
    @objc var summary: String { "\(mood): \(text)" }
}

/// Not stored; its marks are its own affair.
class JournalWindow {
    var value = 0
}
