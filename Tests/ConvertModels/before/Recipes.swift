import Foundation
import RealmSwift

public class Recipe: Object {
    /// The title,
    /// in full.
    @objc
    public dynamic var title: String = ""
    @available(*, deprecated, message: "use steps")
    @objc public dynamic var text: String? = nil
    @objc public dynamic var difficulty: RecipeDifficulty = RecipeDifficulty.easy
    public let servings = RealmOptional<Int>(4)
    public let ingredients = List<RecipeIngredient>()
    public let steps = List<String>()
    @objc public dynamic var author: RecipeAuthor?
    private var observer: NotificationToken?
    @objc dynamic var image: NSData? = nil
    @objc dynamic var `default` = false
    @objc dynamic var temporary = [String](), starCount = 0, scratch: Int?

    @objc public enum RecipeDifficulty: Int, RealmEnum { case easy, hard }

    override public static func ignoredProperties() -> [String] { ["temporary", "observer", "scratch"] }

    public class Nested: Object {
        @objc dynamic var inner = 0
        let links = List<Recipe>()
        override class func primaryKey() -> String? { "inner" }
    }

    deinit { observer?.invalidate() }
}

public class RecipeIngredient: EmbeddedObject {
    @objc dynamic var name = ""
    let grams = RealmOptional<Float>()
    @objc dynamic var unit: String?
    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? RecipeIngredient else { return false }
        return name == other.name && grams.value == other.grams.value
    }
}

public class RecipeAuthor: Object {
    @objc dynamic var name: String = { "anonymous" }()
    let recipes = LinkingObjects(fromType: Recipe.self, property: #keyPath(Recipe.author))
}

func recipeTests(_ realm: Realm, _ recipe: Recipe) throws {
    try realm.write {
        recipe.servings.value = nil
        recipe.servings.value! += 1
        realm.create(Recipe.self, value: ["title": "Soup", "servings": 2])
    }
    let token = recipe.observe { change in
        if case .change(let object, _) = change { print((object as? Recipe)?.servings.value ?? 0) }
    }
    token.invalidate()
    let all = realm.objects(Recipe.self).filter("servings > %@", recipe.servings.value ?? 1)
    print(all.compactMap { $0.servings.value }.reduce(0, +), all.map(\.servings.value))
}

extension Recipe { enum Course: Int32 { case starter, main } }

class RecipeMenu: Object {
    @objc enum Season: Int { case summer, winter }
    @objc dynamic var season = Season.summer
    let days = RealmOptional<Int>(), guests = RealmProperty<Int?>()
    @objc dynamic var title = "", // on the card
        subtitle: String? // below
}
extension RecipeMenu.Season: RealmEnum {}
extension RecipeMenu {
    var each: Int { (guests.value ?? 1) * (self.days.value ?? 1) }
}
