# A file with three classes, made of text.
$ cat > zoo.ndjson <<'END' && strata import zoo.realm zoo.ndjson --yes
> {"$schema":"version 3\nclass Person {\n name: string primary\n born: date?\n}\nclass Dog {\n id: int primary\n name: string indexed\n age: int?\n weight: double\n owner: Person?\n tags: list<string>\n home: Place?\n notes: any\n}\nclass Note {\n text: string\n about: Dog?\n}\nembedded Place {\n street: string\n}"}
> {"$class":"Person","name":"Jane","born":"1999-12-31T23:59:59.5Z"}
> {"$class":"Person","name":"Jürgen Groß"}
> {"$class":"Dog","id":1,"name":"Rex","age":3,"weight":12.5,"owner":"Jane","tags":["good","old"],"home":{"street":"Elm"}}
> {"$class":"Dog","id":2,"name":"Fido, \"the\" dog","weight":3,"owner":"Jane","notes":{"a":[1,2.5]}}
> {"$class":"Dog","id":3,"name":"犬 with\na line","age":11,"weight":0.1,"owner":"Jürgen Groß"}
> {"$class":"Note","$key":"n","text":"bites","about":3}
> END
The file does not have these classes. From the text:

version 3

class Person {
    name: string primary
    born: date?
}

class Dog {
    id: int primary
    name: string indexed
    age: int?
    weight: double
    owner: Person?
    tags: list<string>
    home: Place?
    notes: any
}

class Note {
    text: string
    about: Dog?
}

embedded Place {
    street: string
}

6 created

# Classes.
$ strata ls zoo.realm
class	objects	properties	primary key	kind
Person	2	2	name	class
Dog	3	8	id	class
Note	1	2	\N	class
Place	1	1	\N	embedded

$ strata ls zoo.realm --json
{"class":"Person","objects":2,"properties":2,"primary key":"name","kind":"class"}
{"class":"Dog","objects":3,"properties":8,"primary key":"id","kind":"class"}
{"class":"Note","objects":1,"properties":2,"primary key":null,"kind":"class"}
{"class":"Place","objects":1,"properties":1,"primary key":null,"kind":"embedded"}

$ strata --csv ls zoo.realm
class,objects,properties,primary key,kind
Person,2,2,name,class
Dog,3,8,id,class
Note,1,2,,class
Place,1,1,,embedded

# Objects.
$ strata show zoo.realm Dog
id	name	age	weight	owner	tags	home	notes
1	Rex	3	12.5	Jane	["good","old"]	{"street":"Elm"}	\N
2	Fido, "the" dog	\N	3.0	Jane	[]	\N	{"a":[1,2.5]}
3	犬 with\na line	11	0.1	Jürgen Groß	[]	\N	\N

$ strata show zoo.realm "Dog where age > 3" --columns name,age
name	age
犬 with\na line	11

$ strata show zoo.realm "Dog sort weight desc limit 1" --json
{"id":1,"name":"Rex","age":3,"weight":12.5,"owner":"Jane","tags":["good","old"],"home":{"street":"Elm"},"notes":null}

$ strata query zoo.realm "Dog where owner.name == 'Jane' sort by name" --csv
id,name,age,weight,owner,tags,home,notes
2,"Fido, ""the"" dog",,3.0,Jane,[],,"{""a"":[1,2.5]}"
1,Rex,3,12.5,Jane,"[""good"",""old""]","{""street"":""Elm""}",

$ strata query zoo.realm "Dog where ANY tags == 'good'" --columns id --plain
id
1

$ strata query zoo.realm Note --json
{"$key":1,"text":"bites","about":3}

$ strata query zoo.realm "Dog skip 1 limit 1" --json --columns id
{"id":2}

$ strata query zoo.realm "Dog where id == 99"
id	name	age	weight	owner	tags	home	notes

$ strata query zoo.realm "Dog where id == 99" --exit-code
id	name	age	weight	owner	tags	home	notes
[1]

$ strata count zoo.realm Dog
3

$ strata count zoo.realm "Dog where home.street == 'Elm'"
1

$ strata count zoo.realm Dog --json
{"count":3}

$ strata count zoo.realm "Dog where id == 99" --exit-code
0
[1]

$ strata get zoo.realm Dog 1 --json
{"id":1,"name":"Rex","age":3,"weight":12.5,"owner":"Jane","tags":["good","old"],"home":{"street":"Elm"},"notes":null}

$ strata get zoo.realm Person 'Jürgen Groß' --plain
name	born
Jürgen Groß	\N

$ strata get zoo.realm Note 1 --plain
$key	text	about
1	bites	3

$ strata get zoo.realm Dog 99
strata: there is no Dog with id = 99
[1]

$ strata get zoo.realm Note x
strata: Note has no primary key; 'x' is no $key, which is a number
[2]

$ strata facets zoo.realm Dog owner
owner	objects
Jane	2
Jürgen Groß	1

$ strata facets zoo.realm "Dog where id < 3" weight --json
{"weight":3.0,"objects":1}
{"weight":12.5,"objects":1}

$ strata facets zoo.realm Dog age --limit 1
age	objects
\N	1
2 more values; --limit shows more of them

% strata facets zoo.realm Person born
<ESC>[1mborn                  <ESC>[0m  <ESC>[1mobjects<ESC>[0m
<ESC>[2m-                     <ESC>[0m        1
1999-12-31T23:59:59.5Z        1

# No two values look equal that are not.
$ cat > fine.ndjson <<'END' && strata import fine.realm fine.ndjson --yes
> {"$schema":"class Fine {\n part: float\n at: date\n word: string\n bytes: data\n}"}
> {"$class":"Fine","part":0.1,"at":"1969-12-31T23:59:59.25Z","word":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxéa","bytes":""}
> {"$class":"Fine","part":0.1,"at":"1969-12-31T23:59:59.000001Z","word":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxéb","bytes":""}
> END
The file does not have these classes. From the text:

version 0

class Fine {
    part: float
    at: date
    word: string
    bytes: data
}

2 created

$ strata facets fine.realm Fine part
part	objects
0.1	2

$ strata facets fine.realm Fine at
at	objects
1969-12-31T23:59:59.000001Z	1
1969-12-31T23:59:59.25Z	1

$ strata facets fine.realm Fine word --plain
word	objects
xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxéa	1
xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxéb	1

$ printf '{"$schema":"class Odd { objects: double\\n part: float }"}\n{"$class":"Odd","objects":"NaN","part":"-Infinity"}\n{"$class":"Odd","objects":"Infinity"}\n' > odd.ndjson && strata import odd.realm odd.ndjson --yes 2> /dev/null && strata facets odd.realm Odd objects --json && strata facets odd.realm Odd part
{"objects":"NaN","$objects":1}
{"objects":"Infinity","$objects":1}
part	objects
-Infinity	1
0.0	1

# A null is not an empty string, and values are written as exports write them.
$ printf '{"$schema":"class None {\\n nick: string?\\n at: date\\n real: double\\n to: None?\\n}"}\n{"$class":"None","$key":1,"at":"0001-01-01","real":5e-324}\n{"$class":"None","$key":2,"nick":"","at":"9999-12-31T23:59:59.999Z","real":1e15,"to":{"$key":1}}\n{"$class":"None","$key":3,"nick":"\\\\N","at":"@1e15","real":1e15,"to":{"$key":1}}\n' > none.ndjson && strata import none.realm none.ndjson --yes 2> /dev/null; strata facets none.realm None nick --plain; strata facets none.realm None nick --csv; strata facets none.realm None nick --json
nick	objects
\N	1
	1
\\N	1
nick,objects
,1
"",1
\N,1
{"nick":null,"objects":1}
{"nick":"","objects":1}
{"nick":"\\N","objects":1}

$ strata facets none.realm None at --json && strata facets none.realm None real --json; strata facets none.realm None to --json; strata facets none.realm None to --csv; strata facets none.realm None to
{"at":"0001-01-01T00:00:00Z","objects":1}
{"at":"9999-12-31T23:59:59.999Z","objects":1}
{"at":"@1e+15","objects":1}
{"real":1e+15,"objects":2}
{"real":4.94065645841247e-324,"objects":1}
{"to":{"$key":1},"objects":2}
{"to":null,"objects":1}
to,objects
"{""$key"":1}",2
,1
to	objects
{"$key":1}	2
\N	1

$ strata facets fine.realm Fine bytes
strata: 'bytes' holds several values, values of any type, or data
[2]

$ strata facets zoo.realm Dog tags
strata: 'tags' holds several values, values of any type, or data
[2]

$ strata facets zoo.realm Dog nmae
strata: Dog has no property 'nmae'; did you mean 'name'?
[2]

$ strata facets zoo.realm Dog name --limit 0
strata: --limit is from 1 to 1,000
Usage: strata facets <file> <query> <property> [--limit <limit>] [--json] [--csv] [--plain] [--no-color] [--no-pager]
  See 'strata facets --help' for more information.
[2]

$ strata explain zoo.realm "Dog where name == 'Rex' AND age > 1" --json | sed 's/"milliseconds":.*/.../'
{"plan":"index name = \"Rex\", then filter age > 1","found":1,"rows looked at":1,"index entries":1,...

# On a terminal.
% strata ls zoo.realm
<ESC>[1mclass <ESC>[0m  <ESC>[1mobjects<ESC>[0m  <ESC>[1mproperties<ESC>[0m  <ESC>[1mprimary key<ESC>[0m  <ESC>[1mkind    <ESC>[0m
Person        2           2  name         class
Dog           3           8  id           class
Note          1           2  <ESC>[2m-          <ESC>[0m  class
Place         1           1  <ESC>[2m-          <ESC>[0m  embedded

% strata show zoo.realm Dog
<ESC>[1mid<ESC>[0m  <ESC>[1mname       <ESC>[0m  <ESC>[1mage<ESC>[0m  <ESC>[1mweight<ESC>[0m  <ESC>[1mowner      <ESC>[0m  <ESC>[1mtags       <ESC>[0m  <ESC>[1mhome       <ESC>[0m  <ESC>[1mnotes      <ESC>[0m
 1  Rex            3    12.5  Jane         ["good","o…  {"street":…  <ESC>[2m-          <ESC>[0m
 2  Fido, "the…  <ESC>[2m  -<ESC>[0m     3.0  Jane         []           <ESC>[2m-          <ESC>[0m  {"a":[1,2.…
 3  犬 with⏎a …   11     0.1  Jürgen Groß  []           <ESC>[2m-          <ESC>[0m  <ESC>[2m-          <ESC>[0m

% NO_COLOR=1 strata show zoo.realm Dog --columns id,name,weight
id  name             weight
 1  Rex                12.5
 2  Fido, "the" dog     3.0
 3  犬 with⏎a line      0.1

% strata get zoo.realm Dog 3 --no-color
id      3
name    犬 with
a line
age     11
weight  0.1
owner   Jürgen Groß
tags    []
home    -
notes   -
linked  1 from Note.about

% strata get zoo.realm Person Jane --no-color
name    Jane
born    1999-12-31T23:59:59.5Z
linked  2 from Dog.owner

% strata show zoo.realm Dog --limit 1 --columns id --no-color
id
 1
1 of 3; more with --limit, all with strata query

# --limit and --skip are about what the query says.
$ strata query zoo.realm "Dog sort id limit 2" --limit 5 --columns id --json
{"id":1}
{"id":2}

$ strata query zoo.realm "Dog sort id limit 2" --limit 1 --columns id --json
{"id":1}

$ strata query zoo.realm "Dog sort id skip 1 limit 2" --skip 1 --limit 10 --columns id --json
{"id":3}

$ strata query zoo.realm "Dog sort id skip 18446744073709551615" --skip 1 --columns id --json

$ strata query zoo.realm "Dog sort id limit 1" --skip 1 --columns id --json

% strata show zoo.realm "Dog sort id skip 1" --limit 1 --columns id --no-color
id
 2
1 of 2; more with --limit, all with strata query

% strata show zoo.realm "Dog limit 2" --limit 5 --columns id --no-color
id
 1
 2

# A mark or a joiner behind a quote, or behind a sign that columns write in two, belongs to the text. It is \314\201 here.
$ printf '{"$schema":"class Mark {\\n id: int primary\\n name: string\\n}"}\n{"$class":"Mark","id":1,"name":"\\u200d"}\n{"$class":"Mark","id":2,"name":"a\\t\\u0301"}\n' > marks.ndjson && strata import marks.realm marks.ndjson --yes 2> /dev/null; for mark in '\342\200\215' '\314\201' '\357\270\217'; do strata query marks.realm "$(printf "Mark where name CONTAINS '$mark' sort id desc limit 3")" --columns id --json; done
{"id":1}
{"id":2}

$ strata query marks.realm "$(printf 'Mark where name CONTAINS "\314\201" skip 0')" --columns id --json
{"id":2}

$ strata query marks.realm "$(printf "Mark where name == '\314\201' sort nmae")"
strata: Mark has no property 'nmae'; did you mean 'name'?
[2]

$ strata query marks.realm "$(printf "Mark where name == '\314\201' AND nmae == 1 sort id")"
strata: at column 28: no property 'nmae' in Mark; did you mean 'name'?
  Mark where name == '́' AND nmae == 1 sort id
                            ^
[2]

% strata get marks.realm Mark 2 --no-color
id      2
name    a→́

$ printf 'query Mark where name == "\342\200\215" sort id --json\n' | strata shell marks.realm
{"id":1,"name":"‍"}

# Mistakes are told with their place and what was probably meant.
$ strata show zoo.realm "Dog where naem == 'x'"
strata: at column 11: no property 'naem' in Dog; did you mean 'name'?
  Dog where naem == 'x'
            ^
[2]

$ strata show zoo.realm "Dog where age >"
strata: at column 16: expected a property or a constant, found the end of the predicate
  Dog where age >
                 ^
[2]

$ strata show zoo.realm "Dog wher age > 3"
strata: at column 5: expected where, sort, limit or skip behind Dog, not 'wher'
  Dog wher age > 3
      ^
[2]

$ strata show zoo.realm Dgo
strata: the file has no class 'Dgo'; did you mean 'Dog'?
[2]

$ strata show zoo.realm Dog --columns naem
strata: Dog has no property 'naem'; did you mean 'name'?
[2]

$ strata query zoo.realm "Dog where id < 4 SORT(weight DESCENDING, name ASC) LIMIT(2)" --columns id,weight
id	weight
1	12.5
2	3.0

$ strata query zoo.realm "Dog sort(weight) limit(x)"
strata: at column 24: 'x' is no number
  Dog sort(weight) limit(x)
                         ^
[2]

$ strata show zoo.realm "Dog sort naem"
strata: Dog has no property 'naem'; did you mean 'name'?
[2]

$ strata show zoo.realm "Dog sort owner.age"
strata: Person has no property 'age'
[2]

$ strata show zoo.realm "Dog limit many"
strata: at column 11: 'many' is no number
  Dog limit many
            ^
[2]

$ strata show zoo.realm "Dog where"
strata: at column 5: nothing follows 'where'
  Dog where
      ^
[2]

$ strata show zoo.realm ""
strata: the query is empty; it begins with the name of a class, as in: Dog where age > 3
[2]

$ strata show zoo.realm Dog --json --csv
strata: Choose one of --json, --csv and --plain.
Usage: strata show <file> <query> [--limit <limit>] [--skip <skip>] [--columns <columns>] [--json] [--csv] [--plain] [--no-color] [--no-pager]
  See 'strata show --help' for more information.
[2]

$ strata show nowhere.realm Dog
strata: nowhere.realm: there is no such file
[3]

$ strata show /etc/passwd Dog
strata: '/etc/passwd' is not a Strata store, but some other file; choose another name
[3]

$ strata show . Dog
strata: opening 'WORK': it is a directory; name a file in it
[3]

$ strata shwo zoo.realm
strata: there is no command 'shwo'; did you mean 'show'?
[2]

$ strata ls
strata: Missing expected argument '<file>'
Help:  <file>  The file.
Usage: strata ls <file> [--json] [--csv] [--plain] [--no-color] [--no-pager]
  See 'strata ls --help' for more information.
[2]

# A file that may only be read, in a folder that may only be read.
$ mkdir image && cp zoo.realm image/ && chmod 555 image && chmod 444 image/zoo.realm && strata count image/zoo.realm Dog; chmod 755 image
3

# Dates, and what else has no letters of its own.
$ strata count zoo.realm "Person where born > date('1999-12-31T23:59:59.5Z')"; strata count zoo.realm "Person where born >= date('2000-01-01 00:59:59.5+01:00')"
0
1

$ strata count zoo.realm "Person where born > '2000-01-01'"
strata: at column 21: 'born' of Person is a date; it cannot be compared with a string; a date is date('2000-01-31T12:00:00Z'), or an argument for %@
  Person where born > '2000-01-01'
                      ^
[2]

$ strata count zoo.realm "Person where born > date('yesterday')"
strata: at column 26: expected a date such as '2000-01-31T12:00:00Z', found 'yesterday'
  Person where born > date('yesterday')
                           ^
[2]

# What links to an object, also from a value of any type.
$ printf 'version 1\nclass A {\n id: int primary\n to: A?\n any: any\n}\n' > any.schema && strata migrate any.realm any.schema --create > /dev/null 2>&1; strata insert any.realm A id=1; strata insert any.realm A id=2 to=1 any:='[{"$link":["A",1]}]'
created one A
created one A

% strata get any.realm A 1 --no-color
id      1
to      -
any     -
linked  1 from A.to
linked  1 from A.any

$ strata get any.realm A 3
strata: there is no A with id = 3
[1]
