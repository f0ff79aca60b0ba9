"""Model files at random, in which members share lines, and what must be found in what is made of them.

Each name and each comment has a number of its own, so that nothing that is lost can be mistaken for something else.
"""
import random, re


class Member:
    """A member's text, what stands in the place of its declaration afterwards, and whether it has to go."""
    def __init__(self, text, after, goes=False, asks=False):
        self.text, self.after, self.goes, self.asks = text, after, goes, asks
        self.comments = []


class Maker:
    def __init__(self, seed):
        self.random, self.number = random.Random(seed), 0

    def name(self, prefix):
        self.number += 1
        return f"{prefix}{self.number}x"

    def stored(self, name, marks):
        attribute = f"@Persisted({marks})" if marks else "@Persisted"
        text, type = self.random.choice([
            ("@objc dynamic var {} = 0", ""), ("@objc dynamic var {}: String = \"; {{\"", ": String"),
            ("@objc\n    dynamic var {} = { () -> Int in return 1 }()", ""),
            ("@objc dynamic private(set) var {} = 1", ""), ("@objc var {}: Int = 3", ": Int")])
        text = text.replace("{}", name, 1).replace("{{", "{")
        return Member(text, rf"{re.escape(attribute)}\s+(private\(set\) )?var {name}\b{type}", asks="@objc var" in text)

    def other(self):
        name, r = self.name("k"), self.random
        return r.choice([
            Member(f"func {name}() -> Int {{ 1 }}", rf"func {name}\(\)"),
            Member(f"func {name}() {{\n        print(1)\n    }}", rf"func {name}\(\)"),
            Member(f"static let {name} = \"}}\"", rf"static let {name} "),
            Member(f"enum {name} {{ case a, b }}", rf"enum {name} \{{"),
            Member(f"let {name} = RealmOptional<Int>()", rf"@Persisted var {name}: Int\?"),
            Member(f"let {name} = List<Int>()", rf"@Persisted var {name}: List<Int>"),
            Member(f"var {name}: Int {{ 3 }}", rf"var {name}: Int \{{ 3 \}}"),
            Member(f"convenience init({name}: Int) {{ self.init() }}", rf"init\({name}: Int\)"),
            Member(f"deinit {{ print(\"{name}\") }}", rf"deinit \{{ print\(\"{name}\"\) \}}"),
        ])

    def function(self, name, type, value):
        body = self.random.choice(["{ %s }", "{ return %s }", "{\n        return %s\n    }", "{ // why\n        %s }"])
        head = self.random.choice(["override static func", "override class func", "public override static func"])
        return Member(f"{head} {name}() -> {type} " + body % value, None, goes=True)

    def comment(self, member):
        """A comment above a member or before it; those that document what goes go with it."""
        name = self.name("c")
        form, documents, ends_line = self.random.choice([
            (f"/// {name}", True, True), (f"/** {name} */", True, False), (f"/**\n     {name} */", True, True),
            (f"// {name}", False, True), (f"/* {name} */", False, False), (f"// FIXME: {name} = 0", False, True)])
        member.comments.append((name, not (documents and member.goes)))
        return form + (self.random.choice(["\n    ", "\n    ", "\n\n    "]) if ends_line else " "), ends_line

    def members(self):
        r = self.random
        names = [self.name("p") for _ in range(r.randint(1, 4))]
        key = r.choice([None] + names)
        indexed = [n for n in names if n != key and r.random() < 0.5]
        marks = lambda n: "primaryKey: true" if n == key else "indexed: true" if n in indexed else ""
        made = [self.stored(n, marks(n)) for n in names] + [self.other() for _ in range(r.randint(0, 4))]
        if key: made.append(self.function("primaryKey", "String?", f'"{key}"'))
        if indexed:
            value = "[" + ", ".join(f'"{n}"' for n in indexed) + "]"
            made.append(self.function("indexedProperties", "[String]", value))
        if r.random() < 0.3:
            name = self.name("i")
            made.append(Member(f"var {name} = [1]", rf"(?<!@Persisted )var {name} = \[1\]"))
            made.append(self.function("ignoredProperties", "[String]", f'["{name}"]'))
        r.shuffle(made)
        return made

    def model(self):
        """The text of a class, and its members."""
        r, members = self.random, self.members()
        text, lonely = r.choice([" ", "\n    "]), r.random() < 0.2
        for place, member in enumerate(members):
            if r.random() < 0.3:
                comment, ends_line = self.comment(member)
                # What documents a declaration stands below the line of the one before.
                text += ("\n    " if ends_line and not text.endswith("\n    ") else "") + comment
                if comment.endswith("\n\n    "): member.comments[-1] = (member.comments[-1][0], True)
            text += member.text
            last = place == len(members) - 1
            part = r.choice(["; ", ";", " ; ", ";\n    ", "\n    ", "\n\n    "] if not lonely else ["; "])
            text += "" if last else part
            if not last and part.endswith("\n    ") and r.random() < 0.1:
                name = self.name("t")
                member.comments.append((name, True))
                text = text[: -len(part)] + part.rstrip("\n ") + f" // {name}" + part.lstrip("; ")
        name = self.name("C")
        members.append(Member("", rf"class {name}: Object \{{"))
        text = f"class {name}: Object {{{text}" + r.choice([" }\n", "\n}\n", "}\n"])
        if r.random() < 0.5: return text, members
        others, more = self.namesakes(name)
        return r.choice([text + others, others + text]), members + more

    def namesakes(self, name):
        """Classes that are called as a model is, or as one that is none, and what derives from them."""
        outer, inner, plain, stored, other, sub = (self.name(c) for c in "EKqsod")
        return (f"enum {outer} {{\n    class {name}: Codable {{ @objc dynamic var {other} = 0 }}\n"
                f"    class {inner}: Object {{ @objc dynamic var {stored} = 0 }}\n}}\n"
                f"class {inner}: NSObject {{ @objc dynamic var {plain} = 0 }}\n"
                f"extension {outer} {{ class {outer}Sub: {inner} {{ @objc dynamic var {sub} = 0 }} }}\n"), [
            Member("", rf"@Persisted var {stored} "), Member("", rf"@Persisted var {sub} "),
            Member("", rf"@objc dynamic var {other} "), Member("", rf"@objc dynamic var {plain} ")]


def make(seed):
    """The text of a file, and the members of all of its classes."""
    maker = Maker(seed)
    models = [maker.model() for _ in range(3)]
    head = maker.random.choice(["import RealmSwift\n", "import Realm; import RealmSwift\n", "// head\nimport Realm\n"])
    return head + "\n".join(text for text, _ in models), [m for _, members in models for m in members]


def faults(text, members):
    """What is wrong with the text that was made of a file."""
    code = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    wrong = [f"{m.after} found {len(re.findall(m.after, code))} times" for m in members
             if not m.goes and len(re.findall(m.after, code)) != 1]
    for word in ["primaryKey()", "indexedProperties()", "ignoredProperties()", "import Realm\n"]:
        if word in code: wrong.append(f"{word} is still there")
    for name, stays in (comment for m in members for comment in m.comments):
        if text.count(name) != stays: wrong.append(f"comment {name} " + ("is gone" if stays else "is still there"))
    lines = text.split("\n")
    for above, line in zip(lines, lines[1:]):
        asks = any(m.asks and re.search(m.after, line) for m in members)
        if asks != ("FIXME: Strata: it was not dynamic" in above): wrong.append(f"question above {line}")
    return wrong
