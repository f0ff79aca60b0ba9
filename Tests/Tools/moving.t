$ printf 'id;name;score;born\n1;Rex;1.5;2020-01-02\n2;"Fido; x";;\n3;Bello;many;2020-01-02\n' > dogs.csv

# Classes are guessed, shown, and created after a yes.
$ strata import a.realm dogs.csv --class Dog --separator ';'
The file does not have these classes. From the text:

version 0

class Dog {
    id: int
    name: string
    score: string?
    born: date?
}

strata: no class was created; to create them without a question, add --yes
[6]

$ ls
dogs.csv

$ strata import a.realm dogs.csv --class Dog --separator ';' --primary id --yes
The file does not have these classes. From the text:

version 0

class Dog {
    id: int primary
    name: string
    score: string?
    born: date?
}

3 created

$ strata schema a.realm
version 0

class Dog {
    id: int primary
    name: string
    score: string?
    born: date?
}

$ strata import a.realm dogs.csv --class Dog --separator ';'
strata: line 2: an object of Dog with the primary key 1 is there already; --update changes such objects, --rejects puts such lines into a file
[2]

$ strata import a.realm dogs.csv --class Dog --separator ';' --update
0 created, 3 updated

# Lines that do not fit.
$ printf 'version 2\nclass Dog {\n id: int primary\n name: string\n score: double?\n born: date?\n}\n' > typed.schema && strata migrate b.realm typed.schema --create
difference	stored	declared	cost	hint
Dog: class is new	\N	\N	free	\N
the file has version 2 of its schema

$ strata import b.realm dogs.csv --class Dog --separator ';'
strata: line 4: Dog.score: "many" is not a number
[2]

$ strata count b.realm Dog
0

$ strata import b.realm dogs.csv --class Dog --separator ';' --rejects bad.ndjson
2 created, 1 put into bad.ndjson

$ cat bad.ndjson
{"line":4,"reason":"Dog.score: \"many\" is not a number","text":"3;Bello;many;2020-01-02"}

$ strata query b.realm Dog --json
{"id":1,"name":"Rex","score":1.5,"born":"2020-01-02T00:00:00Z"}
{"id":2,"name":"Fido; x","score":null,"born":null}

$ printf '{"id":5,"name":"Zoe","extra":1}\n' | strata import b.realm - --class Dog --format ndjson
strata: line 1: Dog has no property 'extra'
[2]

$ printf '{"id":5,"name":"Zoe","extra":1}\n' | strata import b.realm - --class Dog --format ndjson --ignore-unknown
1 created

$ printf '{"id":6,"name":"Zoe"}\n' | strata import b.realm - --class Dog --format ndjson --dry-run
would be: 1 created

$ strata count b.realm Dog
3

$ printf '{"a":1}\n' | strata import b.realm - --class Cat --format ndjson
strata: classes can only be guessed from a file, which is read twice; save the text to a file, or declare the class with strata migrate --create
[2]

# A rehearsal goes on where classes are missing: beside those that are there, and without a file.
$ printf '{"name":"Tom","likes":{"id":1,"name":"Rex"}}\n{"name":"Kit","likes":null}\n{"name":5}\n' > cats.ndjson

$ strata import b.realm cats.ndjson --class Cat --dry-run; strata ls b.realm
The file does not have these classes. From the text:

version 0

class Cat {
    name: any
    likes: any
}

would create the class Cat
would be: 3 created
class	objects	properties	primary key	kind
Dog	3	4	id	class

$ printf '{"$class":"Cat","name":"Tom"}\n{"$class":"Dog","id":5,"name":"Zoe"}\n{"$class":"Dog","id":9,"name":"Zoe"}\n' > mixed.ndjson

$ strata import b.realm mixed.ndjson --dry-run
The file does not have these classes. From the text:

version 0

class Cat {
    name: string
}

would create the class Cat
strata: line 2: an object of Dog with the primary key 5 is there already; --update changes such objects, --rejects puts such lines into a file
[2]

$ strata import b.realm mixed.ndjson --dry-run --update
The file does not have these classes. From the text:

version 0

class Cat {
    name: string
}

would create the class Cat
would be: 2 created, 1 updated

$ strata import none.realm cats.ndjson --class Cat --dry-run; ls none.realm
The file does not have these classes. From the text:

version 0

class Cat {
    name: any
    likes: any
}

would create the class Cat
would be: 3 created
ls: cannot access 'none.realm': No such file or directory
[2]

$ strata import b.realm cats.ndjson --class Cat --dry-run --primary name
strata: 'name' cannot be the primary key: it is neither an int, a string, a uuid nor an objectId
[2]

$ strata import b.realm mixed.ndjson --update --yes > /dev/null 2>&1; strata ls b.realm
class	objects	properties	primary key	kind
Dog	4	4	id	class
Cat	1	1	\N	class

$ strata import b.realm dogs.txt --class Dog
strata: dogs.txt cannot be read: No such file or directory
[3]

$ strata import b.realm nothing.csv --class Dog
strata: nothing.csv cannot be read: No such file or directory
[3]

$ strata import b.realm dogs.csv
strata: lines of CSV and plain columns do not name their class; add --class NAME
[2]

$ strata import b.realm dogs.csv --class Dog --separator ';;'
strata: --separator is one character of ASCII, or tab
[2]

# There is no room for all of it: nothing is left half. A limit of files stands for a full disk.
$ python3 -c "open('many.ndjson','w').writelines('{\"id\":%d,\"name\":\"number %d\"}\n' % (i, i * 7919) for i in range(100000))" && strata import full.realm many.ndjson --class N --primary id --yes --dry-run > /dev/null 2>&1; ls full.realm
ls: cannot access 'full.realm': No such file or directory
[2]

$ ulimit -f 2000; strata import full.realm many.ndjson --class N --primary id --yes 2>&1 | tail -2; strata count full.realm N
strata: committing to 'WORK/full.realm': No space left on device; the disk, the quota or the file size limit of the process is used up: make room there, or delete objects in a write of its own, in several if there are many, after which their room in the file can be used
nothing was imported; what was created stays, as guessed from the text: the class N
0

$ ulimit -f 2000; strata import full.realm many.ndjson --class N --batch 1; strata count full.realm N; strata check full.realm --plain | tail -1
strata: committing to 'WORK/full.realm': No space left on device; the disk, the quota or the file size limit of the process is used up: make room there, or delete objects in a write of its own, in several if there are many, after which their room in the file can be used
the first 27,531 records of the text are imported, and stay: 27,531 created, 0 updated; the rest begins on line 27532; to go on, import all of the text again with --update
27531
1	27531	27531	0	0	sound

$ sed 's/"id":/"id":"x",/' many.ndjson > unfit.ndjson; ulimit -f 2000; strata import full.realm unfit.ndjson --class N --rejects unfit.rejects
strata: unfit.rejects cannot be written: File too large; the file size limit of the process is used up, which ulimit -f shows
nothing was imported
[3]

$ ulimit -f 2000; strata import full.realm unfit.ndjson --class N --rejects full.realm
strata: full.realm is there already; --rejects writes a new file
[6]

$ ulimit -f 2000; strata export full.realm --output full.ndjson
strata: full.ndjson cannot be written: File too large; the file size limit of the process is used up, which ulimit -f shows
[3]

$ ls -a | grep -E 'unfit|full'
full.realm
full.realm-lock
unfit.ndjson

$ (head -n 5000 unfit.ndjson; cat many.ndjson; head -n 1000 unfit.ndjson) > half.ndjson; strata schema full.realm > n.schema; strata migrate room.realm n.schema --create > /dev/null 2>&1; ulimit -f 2000; strata import room.realm half.ndjson --class N --batch 1 --rejects half.rejects 2>&1 | tail -1; wc -l < half.rejects; tail -1 half.rejects | cut -c 1-40; strata count room.realm N
the first 27,339 records of the text are imported, and stay: 22,339 created, 0 updated; the rest begins on line 27340; to go on, import all of the text again with --update
5000
{"line":5000,"reason":"at column 11: exp
22339

# Everything goes out, and comes in again the same.
$ strata export a.realm --output everything.ndjson && cat everything.ndjson
{"$schema":"version 0\n\nclass Dog {\n    id: int primary\n    name: string\n    score: string?\n    born: date?\n}\n"}
{"$class":"Dog","id":1,"name":"Rex","score":"1.5","born":"2020-01-02T00:00:00Z"}
{"$class":"Dog","id":2,"name":"Fido; x","score":null,"born":null}
{"$class":"Dog","id":3,"name":"Bello","score":"many","born":"2020-01-02T00:00:00Z"}

$ strata export a.realm --output everything.ndjson
strata: everything.ndjson is there already
[6]

$ strata import c.realm everything.ndjson --yes > /dev/null 2>&1 && strata export c.realm | cmp - everything.ndjson && strata schema c.realm --diff a.realm
no difference

$ strata export a.realm "Dog where id == 1" --format csv
id,name,score,born
1,Rex,1.5,2020-01-02T00:00:00Z

$ strata export a.realm "Dog where id == 1" --format json
{
  "Dog": [
    {"id":1,"name":"Rex","score":"1.5","born":"2020-01-02T00:00:00Z"}
  ]
}

$ strata export a.realm --format json > document.json && strata import d.realm document.json --primary id --yes > /dev/null 2>&1 && strata query d.realm Dog --csv
id,name,score,born
1,Rex,1.5,2020-01-02T00:00:00Z
2,Fido; x,,
3,Bello,many,2020-01-02T00:00:00Z

$ strata export a.realm Dog --format plain --columns name,id
name	id
Rex	1
Fido; x	2
Bello	3

$ strata export a.realm --format csv
strata: CSV and plain columns are of one class: name it, as in: strata export FILE Dog --format csv
[2]

$ strata export a.realm Dog --format xml
strata: there is no format 'xml'; there are ndjson, json, csv and plain
[2]

$ strata export a.realm "Dog where id == 1" --output -; ls ./-
{"id":1,"name":"Rex","score":"1.5","born":"2020-01-02T00:00:00Z"}
ls: cannot access './-': No such file or directory
[2]

$ strata export a.realm Dog | head -1
{"id":1,"name":"Rex","score":"1.5","born":"2020-01-02T00:00:00Z"}

# The document that Realm Studio writes: objects inside each other, and references.
$ cat > studio.json <<'END'
> {
>   "Person": [
>     { "name": "Jane", "dogs": [ { "id": 1, "name": "Rex", "owner": { "$ref": "Person#0" } } ], "$refId": "Person#0" }
>   ],
>   "Dog": [ { "id": 1, "name": "Rex", "owner": { "$ref": "Person#0" } } ]
> }
> END

$ printf 'version 1\nclass Person {\n name: string\n dogs: list<Dog>\n}\nclass Dog {\n id: int primary\n name: string\n owner: Person?\n}\n' > studio.schema && strata migrate e.realm studio.schema --create && strata import e.realm studio.json && strata export e.realm
difference	stored	declared	cost	hint
Person: class is new	\N	\N	free	\N
Dog: class is new	\N	\N	free	\N
the file has version 1 of its schema
2 created
{"$schema":"version 1\n\nclass Person {\n    name: string\n    dogs: list<Dog>\n}\n\nclass Dog {\n    id: int primary\n    name: string\n    owner: Person?\n}\n"}
{"$class":"Person","$key":1,"name":"Jane","dogs":[1]}
{"$class":"Dog","id":1,"name":"Rex","owner":{"$key":1}}

# Its classes are guessed, too: what links lead to, embedded objects, and what tells objects apart.
$ cat > guessed.json <<'END'
> {
>   "Person": [
>     {
>       "name": "Jane", "born": "2001-02-03T04:05:06.000Z", "height": 1.8, "scores": { "chess": 3 },
>       "home": { "street": "High Street", "$refId": "Address#4" },
>       "dogs": [ { "_id": "0123456789abcdef01234567", "name": "Rex", "owner": { "$ref": "Person#0" } } ],
>       "$refId": "Person#0"
>     }
>   ],
>   "Dog": [ { "_id": "0123456789abcdef01234567", "name": "Rex", "owner": { "$ref": "Person#0" } } ]
> }
> END

$ strata import g.realm guessed.json --yes; strata export g.realm | tail -n +2; strata check g.realm --json
The file does not have these classes. From the text:

version 0

class Person {
    name: string
    born: date
    height: double
    scores: map<int>
    home: Address?
    dogs: list<Dog>
}

embedded Address {
    street: string
}

class Dog {
    _id: objectId primary
    name: string
    owner: Person?
}

2 created
{"$class":"Person","$key":1,"name":"Jane","born":"2001-02-03T04:05:06Z","height":1.8,"scores":{"chess":3},"home":{"street":"High Street"},"dogs":["0123456789abcdef01234567"]}
{"$class":"Dog","_id":"0123456789abcdef01234567","name":"Rex","owner":{"$key":1}}
{"classes":3,"objects":3,"index entries":1,"links":3,"elements":2,"result":"sound"}

# What JSON begins with tells its format.
$ printf '{"id":1}\n{"id":2}\n' > lines && strata import begins.realm lines --class P --yes 2> /dev/null

$ printf '{"id":3}\n' | strata import begins.realm - --class P
1 created

$ printf '{"P":[\n{"id":4}]}\n' | strata import begins.realm -
1 created

$ printf ' [{"id":5}]\n' | strata import begins.realm - --class P
1 created

$ printf '{"P":[{"id":7},{"id":8}]}' | strata import begins.realm -
2 created

$ printf '{"P":[{"$class":"P","id":9}]}\n' | strata import begins.realm - --dry-run --format json
would be: 1 created

$ printf '{"id":[1]}\n' | strata import begins.realm - --class P
strata: line 1: P.id: an array is not a whole number of 64 bits
[2]

$ printf '{"id":[1],"$class":"P"}\n' | strata import begins.realm -
strata: line 1: P.id: an array is not a whole number of 64 bits
[2]

$ printf 'id\n6\n' | strata import begins.realm - --class P
strata: neither the name '-' nor its first bytes tell the format; add --format ndjson, json, csv or plain
[2]

$ strata import begins.realm - --class P < /dev/null
strata: the standard input is empty; with --format it is a text without objects
[2]

# Nothing is lost without a word.
$ printf 'version 1\nclass Home { id: int primary\n place: Place? }\nembedded Place { street: string }\n' > emb.schema && strata migrate emb.realm emb.schema --create 2> /dev/null; printf 'street\nElm\n' > street.csv && strata import emb.realm street.csv --class Place; strata count emb.realm Place
difference	stored	declared	cost	hint
Home: class is new	\N	\N	free	\N
Place: class is new	\N	\N	free	\N
strata: Place is embedded: its objects live only inside of others
0

$ printf 'id,name\n' > head.csv && strata import head.realm head.csv --class A --yes && printf '{"id":"1","name":"a"}\n' | strata import head.realm - --class A
The file does not have these classes. From the text:

version 0

class A {
    id: string
    name: string
}

0 created
1 created

$ printf 'id,,name\n1,,a\n2,lost,b\n' > nameless.csv && strata import head.realm nameless.csv --class A
strata: line 3: field 2 holds something, and its column has no name
[2]

$ printf '\357\273\277{"a":1}\n' > mark.ndjson && strata import mark.realm mark.ndjson --class A --yes 2>&1 | tail -1
1 created

$ printf '{"a":1,"next":{"$key":2}}\n' > keyed.ndjson && strata import keyed.realm keyed.ndjson --class N --yes
strata: 'next' of N links to objects by their keys, and the text does not say of which class: declare the classes first, or export all of a file, which puts its schema in front
[2]

$ printf '{"a":{"$numberDecimal":"1.10"}}\n{"a":{"$numberLong":"7"}}\n{"a":"x"}\n' > any.ndjson && strata import any.realm any.ndjson --class A --yes 2> /dev/null && strata export any.realm A
{"$key":1,"a":{"$decimal":"1.10"}}
{"$key":2,"a":7}
{"$key":3,"a":"x"}

$ printf '' > nothing.ndjson && strata import nothing.realm nothing.ndjson --class A --yes; printf '[]' > nothing.json && strata import nothing.realm nothing.json --class A --yes; printf '{"a":\n' > broken.ndjson && strata import nothing.realm broken.ndjson --class A --yes
strata: no line of nothing.ndjson that could be read tells what class A is like; declare it first, with strata migrate --create, and an import says what is wrong with which line
strata: no line of nothing.json that could be read tells what class A is like; declare it first, with strata migrate --create, and an import says what is wrong with which line
strata: line 1: at column 6: expected a value of JSON, and the text ends
[2]

$ printf '{"a":9007199254740993}\n{"a":0.5}\n' > digits.ndjson && strata import digits.realm digits.ndjson --class A --yes 2> /dev/null && strata export digits.realm A
{"$key":1,"a":"9007199254740993"}
{"$key":2,"a":"0.5"}

$ printf '{"a":1}\n' | strata import digits.realm - --class A --update
strata: A has no primary key by which --update could find its objects; a text with "$key" can be imported with --keys
[2]

$ printf '{"a":1}\n' | strata import digits.realm - --class A --update --dry-run; strata count digits.realm A
strata: A has no primary key by which --update could find its objects; a text with "$key" can be imported with --keys
2
