import Foundation
import RealmSwift

public class Recipe: Object {
    /// The title,
    /// in full.
    @Persisted
    public var title: String = ""
    @available(*, deprecated, message: "use steps")
    @Persisted public var text: String?
    @Persisted public var difficulty: RecipeDifficulty = RecipeDifficulty.easy
    @Persisted public var servings: Int? = 4
    @Persisted public var ingredients: List<RecipeIngredient>
    @Persisted public var steps: List<String>
    @Persisted public var author: RecipeAuthor?
    private var observer: NotificationToken?
    // FIXME: Strata: NSData was stored as Data; what reads the property may have to follow
    @Persisted var image: Data?
    @Persisted var `default` = false
    var temporary = [String]()
    @Persisted var starCount = 0
    var scratch: Int?

    public enum RecipeDifficulty: Int, PersistableEnum { case easy, hard }

    public class Nested: Object {
        @Persisted(primaryKey: true) var inner = 0
        @Persisted var links: List<Recipe>
    }

    deinit { observer?.invalidate() }
}

public class RecipeIngredient: EmbeddedObject {
    @Persisted var name = ""
    @Persisted var grams: Float?
    @Persisted var unit: String?
    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? RecipeIngredient else { return false }
        return name == other.name && grams == other.grams
    }
}

public class RecipeAuthor: Object {
    @Persisted var name: String = { "anonymous" }()
    @Persisted(originProperty: "author") var recipes: LinkingObjects<Recipe>
}

func recipeTests(_ realm: Realm, _ recipe: Recipe) throws {
    try realm.write {
        recipe.servings = nil
        recipe.servings! += 1
        realm.create(Recipe.self, value: ["title": "Soup", "servings": 2])
    }
    let token = recipe.observe { change in
        if case .change(let object, _) = change { print((object as? Recipe)?.servings ?? 0) }
    }
    token.invalidate()
    let all = realm.objects(Recipe.self).filter("servings > %@", recipe.servings ?? 1)
    print(all.compactMap { $0.servings }.reduce(0, +), all.map(\.servings))
}

extension Recipe { enum Course: Int32 { case starter, main } }

class RecipeMenu: Object {
    enum Season: Int { case summer, winter }
    @Persisted var season = Season.summer
    @Persisted var days: Int?
    @Persisted var guests: Int?
    @Persisted var title = "" // on the card
    @Persisted var subtitle: String? // below
}
extension RecipeMenu.Season: PersistableEnum {}
extension RecipeMenu {
    var each: Int { (guests ?? 1) * (self.days ?? 1) }
}
