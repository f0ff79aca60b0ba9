# What is misspelt, or is there already, is told before anything is created.
$ printf 'id,x\n1,a\n' > p.csv && strata import y.realm p.csv --class C --yes --primary idd; ls y.realm
strata: no record of C has a property 'idd' that could be the primary key; did you mean 'id'?
ls: cannot access 'y.realm': No such file or directory
[2]

$ strata import y.realm p.csv --class C --dry-run --primary ''
strata: no record of C has a property '' that could be the primary key
[2]

$ printf '{"C":[{"id":1}]}' > p.json && strata import y.realm p.json --dry-run --primary idd
strata: no record of C has a property 'idd' that could be the primary key; did you mean 'id'?
[2]

$ strata import y.realm p.csv --class C --yes --primary id 2> /dev/null; strata import y.realm p.csv --class C --primary idd --update
strata: C is there already, with the primary key 'id'; --primary is that of new classes, and strata migrate changes it
[2]

$ strata import y.realm p.csv --class C
strata: line 2: an object of C with the primary key 1 is there already; --update changes such objects, --rejects puts such lines into a file
[2]

$ strata import y.realm p.csv --class C --update
0 created, 1 updated

$ printf '{"id":2}\n' | strata import y.realm - --class c
strata: the file has no class 'c'; did you mean 'C'?
[2]

$ strata import y.realm - --class C < /dev/null
strata: the standard input is empty; with --format it is a text without objects
[2]

$ strata import y.realm - --class C --format ndjson < /dev/null
0 created

$ printf '{"id":8,"id":9}\n' | strata import y.realm - --class C
strata: line 1: C.id: the record has it twice
[2]

# Of classes that are there nothing is guessed: their links need not be clear, and they are not shown.
$ printf 'class A {\n n: int\n o: B?\n}\nclass B {\n m: string\n}\n' > s.schema && strata migrate a.realm s.schema --create > /dev/null
the file has version 0 of its schema

$ printf '%s\n' '{"$class":"B","$key":"x","m":"X"}' '{"$class":"A","n":1,"o":{"$key":"x"}}' > b.ndjson && strata import a.realm b.ndjson && strata query a.realm "A where o.m == 'X'" --json
2 created
{"$key":1,"n":1,"o":{"$key":1}}

$ strata export a.realm --format json > f.json && strata schema a.realm > a.schema && strata migrate f.realm a.schema --create > /dev/null && strata import f.realm f.json && strata export f.realm --format json | cmp - f.json
the file has version 0 of its schema
2 created

$ printf '%s\n' '{"$class":"B","m":7}' '{"$class":"E","id":1,"b":null}' > e.ndjson && strata import a.realm e.ndjson --rejects rejected --dry-run; ls rejected
The file does not have these classes. From the text:

version 0

class E {
    id: int
    b: any
}

would create the class E
would be: 1 created, 1 put into rejected
ls: cannot access 'rejected': No such file or directory
[2]

# What was rehearsed can be done.
$ strata import a.realm e.ndjson --rejects rejected --yes; cat rejected; strata ls a.realm
The file does not have these classes. From the text:

version 0

class E {
    id: int
    b: any
}

1 created, 1 put into rejected
{"line":1,"reason":"B.m: 7 is not a string","text":"{\"$class\":\"B\",\"m\":7}"}
class	objects	properties	primary key	kind
A	1	2		class
B	1	1		class
E	1	2		class
