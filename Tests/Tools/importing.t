# What an import refuses, keeps and tells.
$ printf 'version 1\nclass P {\n id: int primary\n name: string?\n next: P?\n}\n' > p.schema && strata migrate a.realm p.schema --create > /dev/null 2>&1

# A record that names what is not there ends it, wherever it stands.
$ printf '%s\n' '{"$class":"P","id":1}' '{"$class":"Pp","id":2}' '{"$class":"P","id":3}' > class.ndjson && strata import a.realm class.ndjson --class P
strata: line 2: the file has no class 'Pp'; did you mean 'P'?
[2]

$ strata import a.realm - --class P < class.ndjson
strata: line 2: the file has no class 'Pp'; did you mean 'P'?
[2]

$ strata import a.realm class.ndjson --class P --dry-run
strata: line 2: the file has no class 'Pp'; did you mean 'P'?
[2]

$ printf '%s\n' '{"id":20,"next":{"$key":77}}' '{"id":21}' > key.ndjson && strata import a.realm key.ndjson --class P
strata: line 1: no object of P is called "77" so far; a link to one that is there is its primary key
[2]

$ strata insert a.realm P id=30 next:='{"$key":1}'
strata: no object of P is called "1" so far; a link to one that is there is its primary key
[2]

$ strata count a.realm P
0

$ strata import a.realm class.ndjson --class P --rejects rejects.ndjson && cat rejects.ndjson
2 created, 1 put into rejects.ndjson
{"line":2,"reason":"the file has no class 'Pp'; did you mean 'P'?","text":"{\"$class\":\"Pp\",\"id\":2}"}

$ strata set a.realm "P where id == 1" next:='{"$key":99}'
strata: no object of P is called "99" so far; a link to one that is there is its primary key
[2]

$ strata import y.realm key.ndjson --class C --yes --primary idd; ls y.realm
strata: no record of C has a property 'idd' that could be the primary key; did you mean 'id'?
ls: cannot access 'y.realm': No such file or directory
[2]

# Lines that look empty are objects if an export writes them.
$ printf 'version 1\nclass T {\n a: string?\n b: string?\n}\n' > t.schema && strata migrate t.realm t.schema --create > /dev/null 2>&1; strata migrate t2.realm t.schema --create > /dev/null 2>&1; strata insert t.realm T a= b= ; strata insert t.realm T b=x
created one T with the $key 1
created one T with the $key 2

$ for f in csv plain; do for c in a a,b; do strata export t.realm T --columns $c --format $f > t.txt; strata import t2.realm t.txt --class T --format $f; done; done; strata query t2.realm T --json
2 created
2 created
2 created
2 created
{"$key":1,"a":"","b":null}
{"$key":2,"a":null,"b":null}
{"$key":3,"a":"","b":""}
{"$key":4,"a":null,"b":"x"}
{"$key":5,"a":"","b":null}
{"$key":6,"a":null,"b":null}
{"$key":7,"a":"","b":""}
{"$key":8,"a":null,"b":"x"}

# An import that commits now and then, and ends early, leaves no object that no record has brought.
$ printf 'version 1\nclass P {\n id: int primary\n name: string\n next: P?\n}\nclass K {\n name: string\n next: K?\n}\n' > next.schema && strata migrate next.realm next.schema --create > /dev/null 2>&1

$ pad=$(printf '%01000d' 0); seq 1 1500 | sed 's/.*/{"id":&,"name":"'$pad'","next":99000&}/' > next.ndjson; echo '{"id":1501,"nope":1}' >> next.ndjson; seq 1 1500 | sed 's/.*/{"id":99000&,"name":"last"}/' >> next.ndjson

$ strata import next.realm next.ndjson --class P --batch 1; strata count next.realm P; strata count next.realm "P where next != nil"
strata: line 1501: P has no property 'nope'
the first 1,011 records of the text are imported, and stay: 1,011 created, 0 updated; links to 1,011 objects of later records are null; the rest begins on line 1012; to go on, import all of the text again with --update
1011
0

$ sed 's/"nope":1/"name":"mended"/' next.ndjson > mended.ndjson; strata import next.realm mended.ndjson --class P --batch 1 --update; strata count next.realm P; strata count next.realm "P where next.name == 'last'"
1,990 created, 1,011 updated
3001
1500

$ sed 's/"id":\([0-9]*\)/"$key":\1/;s/"next":\([0-9]*\)/"next":{"$key":\1}/' next.ndjson > names.ndjson; strata import next.realm names.ndjson --class K --batch 1; strata count next.realm "K where name == '' or next != nil"
strata: line 1501: K has no property 'nope'
the first 1,000 records of the text are imported, and stay: 1,000 created, 0 updated; links to 1,000 objects of later records are null; to go on, import the text from line 1001 on; what has no primary key is not linked to by what comes then
0

# Where to go on is told by the line of the text, and how by the classes that were imported alone.
$ pad=$(printf '%01000d' 0); (echo name,next; echo; for i in $(seq 700); do printf '"%s\n%s",\n' $pad $pad; done; echo x,y,z) > lines.csv; strata import next.realm lines.csv --class K --batch 1
strata: line 1403: the line has 3 fields, and 2 are named
the first 522 records of the text are imported, and stay: 522 created, 0 updated; to go on, import the text from line 1047 on, behind the line of names; what has no primary key is not linked to by what comes then
[2]

$ (echo '{"$class":"P","id":5000,"name":"first"}'; sed 's/"id":/"$class":"P","id":60000/' next.ndjson) > classes.ndjson; strata import next.realm classes.ndjson --batch 1
strata: line 1502: P has no property 'nope'
the first 995 records of the text are imported, and stay: 995 created, 0 updated; the rest begins on line 996; to go on, import all of the text again with --update
[2]

$ for class in P K; do (printf '['; head -1500 next.ndjson | sed "$([ $class = P ] || echo 's/"id":[0-9]*,//; s/,"next":[0-9]*//')" | tr '\n' ','; echo '{"nope":1}]') > document.json; strata import next.realm document.json --class $class --batch 1 $([ $class = K ] || echo --update); done
strata: line 1: P has no property 'nope'
the first 1,011 records of the text are imported, and stay: 0 created, 1,011 updated; to go on, import all of the text again with --update
strata: line 1: K has no property 'nope'
the first 1,036 records of the text are imported, and stay: 1,036 created, 0 updated; to go on, import the document without them; what has no primary key is not linked to by what comes then
[2]

$ for record in 1 2; do pad=$(printf '%01048576d' 0); (for i in $(seq $record); do printf '{"id":%d,"name":"%s"}\n' $i $pad; done; echo '{"id":9,"nope":1}') > long.ndjson; strata import next.realm long.ndjson --class P --batch 1 --update; done
strata: line 2: P has no property 'nope'
strata: line 3: P has no property 'nope'
the first record of the text is imported, and stays: 0 created, 1 updated; the rest begins on line 2; to go on, import all of the text again with --update
[2]

$ printf '%s\n' '{"id":1,"next":-80}' '{"id":2,"next":-80}' > missing.ndjson; strata import next.realm missing.ndjson --class P --update; echo '{"id":3,"next":-81}' >> missing.ndjson; strata import next.realm missing.ndjson --class P --update
0 created, 2 updated, one object to which links lead is missing, P -80
0 created, 3 updated, 2 objects to which links lead are missing, such as P -80

# Names and values command no terminal: neither in a schema that is asked about, nor in a message.
$ printf 'id,"no\033[31mpe\033[2J"\n1,2\n' > escape.csv

% strata import escape.realm escape.csv --class E
< y
y
The file does not have these classes. From the text:

version 0

class E {
    id: int
    'no·[31mpe·[2J': int
}

Create them? [y/N] 1 created

% strata query escape.realm E; strata schema escape.realm; strata schema escape.realm --swift | grep -c '\[31m'; strata get escape.realm E 1 --no-color
<ESC>[1m$key<ESC>[0m  <ESC>[1mid<ESC>[0m  <ESC>[1mno·[31mpe·[2J<ESC>[0m
   1   1              2
version 0

class E {
    id: int
    'no·[31mpe·[2J': int
}
1
$key           1
id             1
no·[31mpe·[2J  2

# So do CSV and plain columns on a terminal; elsewhere they are as they are.
% strata query escape.realm E --csv; strata query escape.realm E --plain; strata export escape.realm E --format csv; strata get escape.realm E 1 --csv
$key,id,no·[31mpe·[2J
1,1,2
$key	id	no·[31mpe·[2J
1	1	2
$key,id,no·[31mpe·[2J
1,1,2
$key,id,no·[31mpe·[2J
1,1,2

$ strata query escape.realm E --csv | grep -c '\[31m' ; strata query escape.realm E --plain | od -c | head -2
1
0000000   $   k   e   y  \t   i   d  \t   n   o 033   [   3   1   m   p
0000020   e 033   [   2   J  \n   1  \t   1  \t   2  \n

$ printf 'class F {\n a: string\n}\n' > f.schema; strata migrate f.realm f.schema --create > /dev/null 2>&1; printf '{"a":"\\u001b]0;t\\u0007\\u009b1m\\tb\\ré"}\n' | strata import f.realm - --class F
1 created

% strata query f.realm F --csv; strata query f.realm F --plain; strata facets f.realm F a --csv; strata facets f.realm F a --plain
$key,a
1,"·]0;t··1m	b·é"
$key	a
1	·]0;t··1m\tb\ré
a,objects
"·]0;t··1m	b·é",1
a	objects
·]0;t··1m\tb\ré	1

$ strata query f.realm F --plain | od -An -c
   $   k   e   y  \t   a  \n   1  \t 033   ]   0   ;   t  \a 302
 233   1   m   \   t   b   \   r 303 251  \n

$ strata migrate plain.realm p.schema --create > /dev/null 2>&1; strata import plain.realm escape.csv --class P; printf '{"$class":"\\u001b]0;title\\u0007"}' | strata import plain.realm - --format ndjson --class P
strata: line 1: P has no property 'no·[31mpe·[2J'
strata: line 1: the file has no class '·]0;title·'
[2]

# A number that its type cannot hold does not fit, and the type that is guessed holds all digits.
$ printf 'z,w\n1234567890123456789012345678901234567890,12345678901234567890\n5,5\n' > digits.csv && strata import digits.realm digits.csv --class N --yes && strata query digits.realm N --json
The file does not have these classes. From the text:

version 0

class N {
    z: string
    w: decimal
}

2 created
{"$key":1,"z":"1234567890123456789012345678901234567890","w":"12345678901234567890"}
{"$key":2,"z":"5","w":"5"}

$ strata insert digits.realm N z=1 w=1e7000; strata insert digits.realm N z=1 w=1.00000000000000000000000000000000000001
strata: N.w: "1e7000" has more digits than a decimal, which has 34, or a larger exponent
strata: N.w: "1.00000000000000000000000000000000000001" has more digits than a decimal, which has 34, or a larger exponent
[2]

$ strata insert a.realm P id:=1.00000000000000000001
strata: P.id: 1.00000000000000000001 is not a whole number of 64 bits
[2]

# Classes that are there need not be guessed, and are told to stay; those that are created stay, which a failure says.
$ printf 'version 1\nclass A {\n n: int\n o: B?\n}\nclass B {\n m: string\n}\n' > links.schema && strata migrate links.realm links.schema --create > /dev/null 2>&1; printf '%s\n' '{"$class":"B","$key":"x","m":"X"}' '{"$class":"A","n":1,"o":{"$key":"x"}}' > links.ndjson; strata import links.realm links.ndjson; strata query links.realm "A where o.m == 'X'" --json
2 created
{"$key":1,"n":1,"o":{"$key":1}}

$ printf '%s\n' '{"$class":"C","n":1}' >> links.ndjson; strata import links.realm links.ndjson --dry-run
The file does not have these classes. From the text:

version 0

class C {
    n: int
}

would create the class C
would be: 3 created

$ printf '%s\n' '{"$class":"H","a":1}' '{"$class":"A","m":1}' > guessed.ndjson; strata import links.realm guessed.ndjson --yes; strata ls links.realm
The file does not have these classes. From the text:

version 0

class H {
    a: int
}

strata: line 2: A has no property 'm'; did you mean 'n'?
nothing was imported; what was created stays, as guessed from the text: the class H
class	objects	properties	primary key	kind
A	1	2	\N	class
B	1	1	\N	class
H	0	1	\N	class

$ strata import links.realm links.ndjson --rejects no.ndjson --dry-run > /dev/null 2>&1; ls no.ndjson
ls: cannot access 'no.ndjson': No such file or directory
[2]

# Links by keys that look like JSON come back.
$ printf 'version 1\nclass T {\n id: string primary\n next: T?\n}\n' > odd.schema; for f in odd.realm odd2.realm; do strata migrate $f odd.schema --create > /dev/null 2>&1; done; strata insert odd.realm T 'id={a}' 'next={a}' && strata export odd.realm T --format csv | tee odd.csv; strata import odd2.realm odd.csv --class T; strata count odd2.realm 'T where next.id == "{a}"'
created one T
id,next
{a},"""{a}"""
1 created
1

# What no import takes, whatever the classes are like, leaves none behind, unless it is to be put elsewhere.
$ printf 'a,b,a\n1,2,3\n' > same.csv; printf 'a,,b\n1,,3\n1,2,3\n' > nameless.csv; printf 'a,b\n1\n' > few.csv; printf '%s\n' '{"a":1}' '{"a":1,"a":2}' > twice.ndjson; for f in same.csv nameless.csv few.csv twice.ndjson; do strata import none.realm $f --class N --yes; done; ls none.realm
strata: line 1: two fields are called 'a'
strata: line 3: field 2 holds something, and its column has no name
strata: line 2: the line has 1 fields, and 2 are named
strata: line 2: N.a: the record has it twice
ls: cannot access 'none.realm': No such file or directory
[2]

$ strata import none.realm nameless.csv --class N --yes --rejects nameless.rejects; cat nameless.rejects; strata query none.realm N --json; strata import none.realm same.csv --class M --yes --rejects same.rejects; strata import none.realm nameless.csv --class O --yes --ignore-unknown 2>&1 | tail -1; strata ls none.realm
The file does not have these classes. From the text:

version 0

class N {
    a: int
    b: int
}

1 created, 1 put into nameless.rejects
{"line":3,"reason":"field 2 holds something, and its column has no name","text":"1,2,3"}
{"$key":1,"a":1,"b":3}
strata: line 1: two fields are called 'a'
2 created
class	objects	properties	primary key	kind
N	1	2	\N	class
O	2	2	\N	class

# A class whose name is that of another one but for its case is meant to be that, unless it is declared.
$ printf 'class D {\n a: int\n}\n' > case.schema; strata migrate case.realm case.schema --create > /dev/null 2>&1; echo '{"a":1}' > case.ndjson; echo '{"$class":"d","a":1}' > case2.ndjson; strata import case.realm case.ndjson --class d --yes; strata import case.realm case2.ndjson --yes; strata import case.realm case.ndjson --class d --dry-run; strata import case.realm - --class d < case.ndjson; printf 'class d {\n a: int\n}\n' | strata migrate case.realm - > /dev/null 2>&1; strata import case.realm case2.ndjson; strata ls case.realm
strata: the file has no class 'd'; did you mean 'D'? To have both, declare 'd' with strata migrate first
strata: the file has no class 'd'; did you mean 'D'? To have both, declare 'd' with strata migrate first
strata: the file has no class 'd'; did you mean 'D'? To have both, declare 'd' with strata migrate first
strata: the file has no class 'd'; did you mean 'D'?
1 created
class	objects	properties	primary key	kind
D	0	1	\N	class
d	1	1	\N	class

# What a guess says an import takes; no digit is lost without a word.
$ printf '%s\n' '{"a":0.12345678901234567890123,"b":9007199254740993.0,"c":1e400,"d":0.1,"e":[1,0.30000000000000004],"f":"x"}' '{"a":1,"b":1,"c":1,"d":1,"e":[],"f":9007199254740993.0}' > numbers.ndjson; strata import numbers.realm numbers.ndjson --class N --yes; strata query numbers.realm N --json
The file does not have these classes. From the text:

version 0

class N {
    a: decimal
    b: decimal
    c: decimal
    d: double
    e: list<double>
    f: any
}

2 created
{"$key":1,"a":"0.12345678901234567890123","b":"9007199254740993.0","c":"1E+400","d":0.1,"e":[1.0,0.30000000000000004],"f":"x"}
{"$key":2,"a":"1","b":"1","c":"1","d":1.0,"e":[],"f":{"$decimal":"9007199254740993.0"}}

$ echo '{"a":1234567890123456789012345678901234567890}' > long.ndjson; strata import numbers.realm long.ndjson --class L --yes; strata ls numbers.realm
strata: line 1: L.a: "1234567890123456789012345678901234567890" has more digits than a decimal, which has 34, or a larger exponent
class	objects	properties	primary key	kind
N	2	6	\N	class

$ printf '%s\n' '{"$class":"D","e":{"$link":["E",1]}}' '{"$class":"D","e":2}' '{"$class":"E","id":1}' > keyed.ndjson; strata import keyed.realm keyed.ndjson --yes; strata query keyed.realm D --json
The file does not have these classes. From the text:

version 0

class D {
    e: any
}

class E {
    id: int primary
}

3 created
{"$key":1,"e":{"$link":["E",1]}}
{"$key":2,"e":2}

$ printf '%s\n' '{"$class":"D","e":{"$link":["F",1]}}' '{"$class":"F","no":1}' > unkeyed.ndjson; strata import keyed.realm unkeyed.ndjson --yes; strata import keyed.realm unkeyed.ndjson --yes --primary no 2>&1 | tail -1; echo '{"e":{"$nope":1}}' | strata import keyed.realm - --class D --format ndjson
strata: values of any type link to objects of F by a primary key, and no property '_id' or 'id' tells these apart: declare the class first, or name its primary key, with --primary
2 created
strata: line 1: D.e: "$nope" does not say a type here; as a key of a map it is written "$$nope"
[2]

# With a class, a single object is a line, also in a text that is called .json.
$ echo '{"id":1}' > one.json; strata import one.realm one.json --class O --yes; printf '{\n"id":2}' > one.json; strata import one.realm one.json --class O; echo '[{"id":3}]' > one.json; strata import one.realm one.json --class O; strata count one.realm O
The file does not have these classes. From the text:

version 0

class O {
    id: int
}

1 created
strata: line 2: expected '[' and the objects of the class in the JSON document, not '2'
1 created
2

# A reference that does not say of which class it is would be lost in any.
$ echo '{"People":[{"_id":"b","$refId":"1","boss":null},{"_id":"a","boss":{"$ref":"1"},"$refId":"2"}]}' > refs.json; strata import refs.realm refs.json --yes; ls | grep -c refs.realm; sed 's/"1"/"People#1"/g' refs.json > named.json; strata import refs.realm named.json --yes; strata query refs.realm People --json
strata: 'boss' of People has references ("$ref", "$refId"), and the text does not say to which one class: declare the classes first, or write "$$ref" and "$$refId" if they are keys of maps
0
The file does not have these classes. From the text:

version 0

class People {
    _id: string
    boss: People?
}

2 created
{"$key":1,"_id":"b","boss":null}
{"$key":2,"_id":"a","boss":{"$key":1}}

$ echo '{"boss":{"$ref":"1"},"_id":1}' > refs.ndjson; strata import rejected.realm refs.ndjson --class R --yes --rejects refs.rejects; cat refs.rejects; printf 'class R {\n boss: any\n}\n' | strata migrate any.realm - --create > /dev/null 2>&1; echo '{"boss":[{"$$ref":"1"}]}' | strata import any.realm - --class R --format ndjson; echo '{"boss":[{"$ref":"1"}]}' | strata import any.realm - --class R --format ndjson; strata query any.realm R --json
The file does not have these classes. From the text:

version 0

class R {
    boss: any
    _id: int
}

0 created, 1 put into refs.rejects
{"line":1,"reason":"R.boss: \"$ref\" is a link to an object, which a value of any type does not take; declare the class of this property before the import, or write \"$$ref\" if it is the key of a map","text":"{\"boss\":{\"$ref\":\"1\"},\"_id\":1}"}
1 created
strata: line 1: R.boss: "$ref" is a link to an object, which a value of any type does not take; declare the class of this property before the import, or write "$$ref" if it is the key of a map
{"$key":1,"boss":[{"$$ref":"1"}]}

# What no class or file can have is refused before there is one.
$ long=$(printf %064d 0 | tr 0 n); for line in '{"":1}' '{"$x":1}' "{\"$long\":1}"; do echo "$line" > names.ndjson; strata import names.realm names.ndjson --class A --yes; done; printf 'a,$x\n1,2\n' > names.csv; strata import names.realm names.csv --class A --yes; strata import names.realm names.csv --class $long --yes --ignore-unknown; ls | grep -c names.realm
strata: line 1: A gets no property '' from a text: the name is empty, or begins with "$"
strata: line 1: A gets no property '$x' from a text: the name is empty, or begins with "$"
The file does not have these classes. From the text:

version 0

class A {
    nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn: int
}

strata: the column name A.nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn has 64 bytes; the limit is 63
strata: line 1: A gets no property '$x' from a text: the name is empty, or begins with "$"
The file does not have these classes. From the text:

version 0

class nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn {
    a: int
}

strata: the table name nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn has 64 bytes; the limit is 57
0
[1]

$ echo '{"a":1,"$x":2,"":3}' > names.ndjson; strata import names.realm names.ndjson --class A --yes --ignore-unknown; echo '{"a":2,"":3}' | strata import names.realm - --class A --format ndjson; strata query names.realm A --json
The file does not have these classes. From the text:

version 0

class A {
    a: int
}

1 created
strata: line 1: A has no property ''
{"$key":1,"a":1}

$ printf 'class D {\n d: double indexed\n}\n' > double.schema; strata migrate double.realm double.schema --create; ls | grep -c double.realm
strata: D.d cannot be indexed; an index serves bool, int, date, string, uuid, object id and mixed
0
[1]
