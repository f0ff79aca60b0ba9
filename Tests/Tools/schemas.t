$ printf 'version 1\nclass Dog {\n id: int primary\n name: string indexed\n age: string\n owner: Person?\n class: map<double?>\n index(name, id)\n}\nclass Person {\n dogs: list<Dog>\n any: any\n}\nembedded Place {\n x: float\n}\n' > one.schema && strata migrate a.realm one.schema --create
difference	stored	declared	cost	hint
Dog: class is new	\N	\N	free	\N
Person: class is new	\N	\N	free	\N
Place: class is new	\N	\N	free	\N
the file has version 1 of its schema

$ strata schema a.realm > one.text; cat one.text
version 1

class Dog {
    id: int primary
    name: string indexed
    age: string
    owner: Person?
    'class': map<double?>
    index(name, id)
}

class Person {
    dogs: list<Dog>
    'any': any
}

embedded Place {
    x: float
}

$ strata schema a.realm --swift
import Foundation
import RealmSwift

// Realm.Configuration(schemaVersion: 1)

class Dog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var age: String
    @Persisted var owner: Person?
    @Persisted var `class`: Map<String, Double?>

    override class func compoundIndexes() -> [[String]] { [["name", "id"]] }
}

class Person: Object {
    @Persisted var dogs: List<Dog>
    @Persisted var any: AnyRealmValue
}

class Place: EmbeddedObject {
    @Persisted var x: Float
}

$ strata schema a.realm --c
#include "strata.h"

enum { SCHEMA_VERSION = 1 };

static const strata_column_spec columns_0[] = {
    { "id", STRATA_INT, STRATA_SINGLE, STRATA_COLUMN_PRIMARY, NULL },
    { "name", STRATA_STRING, STRATA_SINGLE, STRATA_COLUMN_INDEXED, NULL },
    { "age", STRATA_STRING, STRATA_SINGLE, 0, NULL },
    { "owner", STRATA_LINK, STRATA_SINGLE, STRATA_COLUMN_NULLABLE, "Person" },
    { "class", STRATA_DOUBLE, STRATA_MAP, STRATA_COLUMN_NULLABLE, NULL },
};
static const char *const index_0_0[] = { "name", "id" };
static const strata_index_spec indexes_0[] = { { 2, index_0_0 } };

static const strata_column_spec columns_1[] = {
    { "dogs", STRATA_LINK, STRATA_LIST, 0, "Dog" },
    { "any", STRATA_MIXED, STRATA_SINGLE, STRATA_COLUMN_NULLABLE, NULL },
};

static const strata_column_spec columns_2[] = {
    { "x", STRATA_FLOAT, STRATA_SINGLE, 0, NULL },
};

static const strata_table_spec tables[] = {
    { "Dog", 0, 5, columns_0, indexes_0, 1 },
    { "Person", 0, 2, columns_1, NULL, 0 },
    { "Place", STRATA_TABLE_EMBEDDED, 1, columns_2, NULL, 0 },
};

$ strata schema a.realm --diff one.schema
no difference

$ strata insert a.realm Dog id=1 name=Rex age=3
created one Dog

# Differences, and what they cost.
$ printf 'version 2\nclass Dog {\n id: int primary\n called: string indexed\n age: string?\n owner: Person?\n class: map<double?>\n}\nclass Person {\n dogs: list<Dog>\n any: any\n}\n' > two.schema; strata schema a.realm --diff two.schema
difference	stored	declared	cost	hint
Dog.called: property is new	\N	string	free	\N
Dog.age: property may be null now	string	optional string	free	\N
Dog.name: property goes	string	\N	loses data of 1 objects	perhaps renamed: --rename Dog.name=called
Dog.name, id: index goes	\N	\N	free	\N
Place: only the file has this class	\N	\N	stays	\N
[1]

$ strata schema a.realm --diff two.schema --json
{"difference":"Dog.called: property is new","stored":null,"declared":"string","cost":"free","hint":null}
{"difference":"Dog.age: property may be null now","stored":"string","declared":"optional string","cost":"free","hint":null}
{"difference":"Dog.name: property goes","stored":"string","declared":null,"cost":"loses data of 1 objects","hint":"perhaps renamed: --rename Dog.name=called"}
{"difference":"Dog.name, id: index goes","stored":null,"declared":null,"cost":"free","hint":null}
{"difference":"Place: only the file has this class","stored":null,"declared":null,"cost":"stays","hint":null}
[1]

$ strata migrate a.realm two.schema --dry-run --plain > /dev/null; echo $?
0

$ strata migrate a.realm two.schema > /dev/null
strata: nothing was changed; to go on without a question, add --yes
[6]

$ strata migrate a.realm two.schema --rename Dog.name=called --backup --yes > /dev/null
the file as it was: a.realm.before-1
the file has version 2 of its schema

$ strata query a.realm Dog --json
{"id":1,"called":"Rex","age":"3","owner":null,"class":{}}

$ strata query a.realm.before-1 Dog --json
{"id":1,"name":"Rex","age":"3","owner":null,"class":{}}

$ strata migrate a.realm two.schema
no difference; nothing to do

$ strata schema a.realm --history | cut -f 1,3,4
version	program	migration
1	strata	
2	strata	strata migrate

# The classes of then.
$ strata schema a.realm --at 1
version 1

class Dog {
    id: int primary
    name: string indexed
    age: string
    owner: Person?
    'class': map<double?>
    index(name, id)
}

class Person {
    dogs: list<Dog>
    'any': any
}

embedded Place {
    x: float
}

$ strata schema a.realm --at 2 --swift | grep called
    @Persisted(indexed: true) var called: String

$ strata schema a.realm --at 1 --c | grep 'SCHEMA_VERSION\|name'
enum { SCHEMA_VERSION = 1 };
    { "name", STRATA_STRING, STRATA_SINGLE, STRATA_COLUMN_INDEXED, NULL },
static const char *const index_0_0[] = { "name", "id" };

$ strata schema a.realm --at 1 --diff one.schema
no difference

$ strata schema a.realm --at 1 --diff a.realm
difference	stored	declared
Dog.called: property is new	\N	string
Dog.age: property may be null now	string	optional string
Dog.name: property goes	string	\N
Dog.name, id: index goes	\N	\N
[1]

$ strata schema a.realm --at 2 | strata schema a.realm --at 1 --diff - --json
{"difference":"Dog.called: property is new","stored":null,"declared":"string"}
{"difference":"Dog.age: property may be null now","stored":"string","declared":"optional string"}
{"difference":"Dog.name: property goes","stored":"string","declared":null}
{"difference":"Dog.name, id: index goes","stored":null,"declared":null}
[1]

$ strata schema a.realm --at 2 --diff a.realm
no difference

$ strata schema a.realm --at 7
strata: a.realm never had version 7 of a schema; its history tells of 1, 2
[2]

# More than a file keeps.
$ awk 'BEGIN { print "version 3"; for (t = 0; t < 20; t++) { print "class T" t " {"; for (c = 0; c < 1000; c++) printf "p%060d: int\n", c; print "}" } }' > wide.schema && strata migrate wide.realm wide.schema --create > /dev/null && strata schema wide.realm --at 3
the file has version 3 of its schema
strata: wide.realm does not keep the classes of version 3: a library that did not keep them wrote it, or it had 250 other schemas before, or these take more than 1,048,576 bytes
[3]

$ strata schema wide.realm --history | cut -f 1,3,4
version	program	migration
3	strata	

$ strata schema a.realm --at two
strata: The value 'two' is invalid for '--at <version>'
Help:  --at <version>  Write or compare the classes that the file had in this version.
Usage: strata schema <file> [--swift] [--c] [--diff <diff>] [--history] [--at <version>] [--json] [--csv] [--plain] [--no-color] [--no-pager]
  See 'strata schema --help' for more information.
[2]

$ strata schema a.realm --at 1 --history
strata: --history tells of all versions; leave out --at
Usage: strata schema <file> [--swift] [--c] [--diff <diff>] [--history] [--at <version>] [--json] [--csv] [--plain] [--no-color] [--no-pager]
  See 'strata schema --help' for more information.
[2]

$ strata migrate a.realm one.schema --yes > /dev/null
strata: the schema has version 1, and a.realm has 2 already: raise the version of the schema to 2, or above that if properties change
[6]

$ strata migrate a.realm two.schema --rename Dog.name --yes
strata: 'Dog.name' is no rename; write Class.old=new
[2]

$ printf 'class Dog {\n id int\n}\n' | strata migrate a.realm -
strata: schema, line 2, column 5: expected ':' and a type, not 'int'
[2]

$ printf 'version 9\nclass Dog {\n id: int primary\n called: string\n}\n' | strata migrate a.realm - --rename Dog.nothing=called --yes > /dev/null
strata: Dog has no property 'nothing'
[2]

$ strata migrate nowhere.realm one.schema
strata: nowhere.realm: there is no such file; --create makes it
[3]

$ strata check a.realm --json
{"classes":3,"objects":1,"index entries":2,"links":0,"elements":0,"result":"sound"}

# Another schema of a name that is there.
$ strata schema a.realm --diff nothing.schema
strata: nothing.schema cannot be read: No such file or directory
[3]

# A rehearsal of a migration ends as the migration would, and a migration that fails leaves no copy.
$ printf 'version 2\nclass W {\n id: int\n a: string\n}\n' > w2.schema && strata migrate w.realm w2.schema --create > /dev/null 2>&1; strata insert w.realm W id=1 a=x; strata insert w.realm W id=1 a=y
created one W with the $key 1
created one W with the $key 2

$ sed 's/id: int/id: int\n c: int/' w2.schema > same.schema; for how in --dry-run --backup; do strata migrate w.realm same.schema $how; done; ls w.realm.*
difference	stored	declared	cost	hint
W.c: property is new	\N	int	free	\N
strata: W.c: property is new, and w.realm has version 2 already: raise the version of the schema above that
difference	stored	declared	cost	hint
W.c: property is new	\N	int	free	\N
strata: W.c: property is new, and w.realm has version 2 already: raise the version of the schema above that
ls: cannot access 'w.realm.*': No such file or directory
[2]

$ sed 's/version 2/version 1/' same.schema > lower.schema; for how in --dry-run --yes; do strata migrate w.realm lower.schema $how > /dev/null; done
strata: the schema has version 1, and w.realm has 2 already: raise the version of the schema to 2, or above that if properties change
strata: the schema has version 1, and w.realm has 2 already: raise the version of the schema to 2, or above that if properties change
[6]

$ sed 's/version 2/version 3/; s/id: int/id: int primary/' w2.schema > key.schema; for how in --dry-run "--yes --backup"; do strata migrate w.realm key.schema $how > /dev/null; done; ls w.realm.*
strata: W.id cannot become the primary key: objects 1 and 2 have the same value, 1; give each object one of its own in the migration
strata: W.id cannot become the primary key: objects 1 and 2 have the same value, 1; give each object one of its own in the migration
ls: cannot access 'w.realm.*': No such file or directory
[2]

$ sed 's/version 2/version 3/' same.schema > w3.schema; strata migrate w.realm w3.schema --dry-run > /dev/null && strata schema w.realm | head -1; strata migrate w.realm w3.schema --backup > /dev/null; strata schema w.realm | head -1; ls w.realm.*
version 2
the file as it was: w.realm.before-2
the file has version 3 of its schema
version 3
w.realm.before-2

$ printf 'version 2\nclass V {\n b: int\n}\n' | strata migrate w.realm - --dry-run; printf 'class V {\n b: in\n}\n' | strata migrate w.realm - --dry-run
difference	stored	declared	cost	hint
V: class is new	\N	\N	free	\N
strata: the schema has version 2, and w.realm has 3 already: raise the version of the schema to 3, or above that if properties change
strata: schema: the type of V.b is 'in', which is neither a type nor a class that is declared
[2]

# A rename leads from a property that is there to one that the schema has, and to no other values.
$ sed 's/version 3/version 4/; s/ a: string/ b: string/' w3.schema > w4.schema; for to in W.a=zz W.aa=b V.a=b W.a=c; do strata migrate w.realm w4.schema --rename $to --yes; echo $?; done
strata: the schema has no property 'zz' in W, as which 'a' could stay
2
strata: W has no property 'aa'; did you mean 'a'?
2
strata: the file has no class 'V'; did you mean 'W'?
2
strata: W has a property 'c' already, whose values would be lost: give 'a' another name, or rename 'c' before it
2

$ sed '/ c: int/d; s/version 4/version 5/; s/ b: string/ c: string/' w4.schema > w5.schema; strata migrate w.realm w5.schema --rename W.a=c --yes
strata: W has a property 'c' already, whose values would be lost: give 'a' another name, or rename 'c' before it
[2]

# Renames that contradict each other are refused before anything is shown.
$ printf 'version 1\nclass S {\n v: int\n w: string\n}\n' > s1.schema; strata migrate s.realm s1.schema --create > /dev/null 2>&1; strata insert s.realm S v=1 w=x > /dev/null; printf 'version 2\nclass S {\n v: string\n w: int\n}\n' > s2.schema; printf 'version 2\nclass S {\n x: int\n y: string\n}\n' > x.schema
created one S with the $key 1

$ for renames in '--rename S.v=x --rename S.v=x' '--rename S.v=x --rename S.v=y' '--rename S.v=x --rename S.w=x'; do strata migrate s.realm x.schema $renames --yes; echo $?; done
strata: 'v' of S is renamed twice
2
strata: 'v' of S is renamed twice, to 'x' and to 'y'
2
strata: 'v' and 'w' of S cannot both be renamed to 'x'
2

# Names change places in several steps.
$ for renames in '--rename S.v=w --rename S.w=v' '--rename S.w=v --rename S.v=w' '--rename S.v=t --rename S.w=v --rename S.t=w'; do strata migrate s.realm s2.schema $renames --yes; echo $?; done
strata: S has a property 'w' already, whose values would be lost: names cannot change places in one step; rename one at a time, the first to a name that is not used, each with a schema of a version of its own
2
strata: S has a property 'v' already, whose values would be lost: names cannot change places in one step; rename one at a time, the first to a name that is not used, each with a schema of a version of its own
2
strata: the schema has no property 't' in S, as which 'v' could stay; did you mean 'v'?
2

$ step() { printf "version $1\nclass S {\n $2\n $3\n}\n" | strata migrate s.realm - --rename $4; }; step 2 't: int' 'w: string' S.v=t; step 3 't: int' 'v: string' S.w=v; step 4 'w: int' 'v: string' S.t=w; strata query s.realm S --json
difference	stored	declared	cost	hint
S.v: property is called t	int	int	free	\N
the file has version 2 of its schema
difference	stored	declared	cost	hint
S.w: property is called v	string	string	free	\N
the file has version 3 of its schema
difference	stored	declared	cost	hint
S.t: property is called w	int	int	free	\N
the file has version 4 of its schema
{"$key":1,"w":1,"v":"x"}

# Names that Swift or the library has for itself, and types that a class hides.
$ cat > names.txt << 'END'
> class List {
>     description: string primary
>     items: list<List>
>     'when': Date
>     stamp: date?
>     tags: set<string>
>     _id: int
>     id: int
>     hash: int
>     index(description, id)
> }
> class Date {
>     '_': int
>     '-': int
>     'a b': int
> }
> embedded Swift {
>     realm: map<int>
> }
> END

$ strata migrate names.realm names.txt --create > names.out; strata schema names.realm --swift
the file has version 0 of its schema
import Foundation
import RealmSwift

class List: Object {
    @Persisted(primaryKey: true) var description_: String
    @Persisted var items: RealmSwift.List<List>
    @Persisted var when: Date?
    @Persisted var stamp: Foundation.Date?
    @Persisted var tags: MutableSet<String>
    @Persisted var _id_: Int
    @Persisted var id: Int
    @Persisted var hash_: Int

    override class func propertiesMapping() -> [String: String] { ["description_": "description", "_id_": "_id", "hash_": "hash"] }
    override class func compoundIndexes() -> [[String]] { [["description_", "id"]] }
}

class Date: Object {
    @Persisted var `_`: Int
    @Persisted var name: Int
    @Persisted var `a b`: Int

    override class func propertiesMapping() -> [String: String] { ["name": "-"] }
}

class Swift_: EmbeddedObject {
    @Persisted var realm_: Map<String, Int>

    override class func _realmObjectName() -> String? { "Swift" }
    override class func propertiesMapping() -> [String: String] { ["realm_": "realm"] }
}
