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
A	1	2	\N	class
B	1	1	\N	class
E	1	2	\N	class

# A comparison tells what either side has, and of two answers that are asked for none is passed over.
$ strata schema a.realm --diff s.schema
difference	stored	declared	cost	hint
E: only the file has this class	\N	\N	stays	\N
[1]

$ strata schema y.realm --diff a.realm
difference	stored	declared	cost	hint
A: class is new	\N	\N	free	\N
B: class is new	\N	\N	free	\N
E: class is new	\N	\N	free	\N
C: only the file has this class	\N	\N	stays	\N
[1]

$ strata migrate a.realm s.schema
no difference; nothing to do

$ strata schema a.realm --json
strata: Classes are text, Swift or C; --json, --csv and --plain are for --diff and --history.
Usage: strata schema <file> [--swift] [--c] [--diff <diff>] [--history] [--at <version>] [--json] [--csv] [--plain] [--no-color] [--no-pager]
  See 'strata schema --help' for more information.
[2]

$ strata schema a.realm --swift --c
strata: Choose one of --swift, --c, --diff and --history.
Usage: strata schema <file> [--swift] [--c] [--diff <diff>] [--history] [--at <version>] [--json] [--csv] [--plain] [--no-color] [--no-pager]
  See 'strata schema --help' for more information.
[2]

# What is no file yet says how it becomes one.
$ strata migrate new.realm s.schema
strata: new.realm: there is no such file; --create makes it
[3]

$ : > empty.realm && strata check empty.realm; strata migrate empty.realm s.schema
strata: empty.realm is empty; strata import, or strata migrate --create, makes a file of it; or else restore a backup
strata: empty.realm is empty; strata import, or strata migrate --create, makes a file of it; or else restore a backup
[3]

$ strata doctor empty.realm | head -2
what	result	detail
opens	look	empty.realm is empty; strata import, or strata migrate --create, makes a file of it; or else restore a backup

$ strata import empty.realm p.csv --class C --dry-run 2>&1 | tail -2
would create the class C
would be: 1 created

$ strata migrate empty.realm s.schema --create > /dev/null && strata ls empty.realm
the file has version 0 of its schema
class	objects	properties	primary key	kind
A	0	2	\N	class
B	0	1	\N	class

# A damaged file is one still, also if its first pages are gone, and what can be read can be saved.
$ cp y.realm zeros.realm && dd if=/dev/zero of=zeros.realm bs=$(getconf PAGESIZE) count=2 conv=notrunc 2> /dev/null; strata ls zeros.realm
strata: 'WORK/zeros.realm' is damaged: its first page is overwritten; restore a backup, or save what can be read with strata salvage
[4]

$ strata doctor zeros.realm | head -2
what	result	detail
opens	look	'WORK/zeros.realm' is damaged: its first page is overwritten; restore a backup, or save what can be read with strata salvage

$ strata salvage zeros.realm saved.realm; strata query saved.realm C --json
class	objects	saved	in part	lost
C	1	1	0	0
how many objects there were is not known of every class: any number may be lost
{"id":1,"x":"a"}

$ cp y.realm cut.realm && truncate -s 9000 cut.realm && strata check cut.realm
strata: 'WORK/cut.realm' was cut short: page 2 is in use, but the file has 2 pages; restore a backup, or save what can be read with strata salvage
[4]

# A place that is taken is told.
$ strata studio y.realm --socket y.realm
strata: y.realm cannot be used: there is a file of that name, which is no socket; choose another one
[3]

$ strata studio y.realm --socket so --port 8181
strata: Choose one of --port and --socket.
Usage: strata studio <file> [--port <port>] [--socket <socket>] [--write]
  See 'strata studio --help' for more information.
[2]

# Why a value does not fit, and what does.
$ printf 'class N {\n n: int?\n w: double\n}\nclass '"'my dogs'"' {\n id: int primary\n}\n' > n.schema && strata migrate n.realm n.schema --create > /dev/null 2>&1; strata insert n.realm N n=9223372036854775808
strata: '9223372036854775808' is out of range: n is a whole number from -9223372036854775808 to 9223372036854775807
[2]

$ strata insert n.realm N n=
strata: '' is no whole number; n takes one; n:=null takes its value away
[2]

$ strata insert n.realm N n=x
strata: 'x' is no whole number; n takes one
[2]

$ strata insert n.realm N w=1e400
strata: '1e400' is too large for a number, which w is
[2]

$ strata insert n.realm N w:=NaN
strata: 'NaN' is no value in JSON, which w:= takes
[2]

$ strata insert n.realm N w:=0x1p3
strata: '0x1p3' is no value in JSON, which w:= takes
[2]

$ strata insert n.realm N w=NaN n:=-7 && strata get n.realm N 1 --json
created one N with the $key 1
{"$key":1,"n":-7,"w":"NaN"}

# A name with a space, and quotes that are never closed.
$ strata count n.realm "my dogs where id > 1"
strata: at column 4: expected where, sort, limit or skip behind my, not 'dogs'; a class that is called so stands in quotes: 'my dogs'
  my dogs where id > 1
     ^
[2]

$ strata count n.realm "'my dogs' where id > 1"
0

$ strata count n.realm "N w > 1"
strata: at column 3: expected where, sort, limit or skip behind N, not 'w'
  N w > 1
    ^
[2]

$ printf 'count "N\ninsert N n=1 w="2\ncount N\n' | strata shell n.realm
strata: at column 1: a quote is never closed
strata: at column 14: a quote is never closed
1
[2]

# CSV of what goes on is CSV.
$ strata watch y.realm C --csv --until 2 > seen & until [ -s seen ]; do sleep 0.1; done; strata set y.realm "C where id == 1" x=b,c; strata delete y.realm "C where id == 1" --yes; wait; cat seen
changed 1 of C
deleted 1 of C
change,$key,id,x
+,1,1,a
~,1,1,"b,c"
-,1,,

# No control of a terminal goes out in JSON as it is, wherever it stands; and nothing is lost.
$ cat > control.py <<'END' && python3 control.py > texts.ndjson && strata import texts.realm texts.ndjson --class T --yes 2> /dev/null; strata export texts.realm T > texts.out; python3 control.py texts.out
> import json, sys
> controls = [0x1B, 0x7F, 0x80, 0x85, 0x9B, 0x9F]
> texts = ["x" * i + chr(c) + "\xa0\xe9" + "y" * j for c in controls for i in range(20) for j in range(20)]
> if len(sys.argv) == 1:
>     for text in texts: print(json.dumps({"t": text}))
> else:
>     out = open(sys.argv[1], encoding="utf-8", newline="\n").read()
>     print([json.loads(line)["t"] for line in out.split("\n")[:-1]] == texts, [c for c in controls if chr(c) in out])
> END
True []

# A date of any year with four digits is written as one.
$ printf 'class D {\n d: date\n}\n' > d.schema && strata migrate d.realm d.schema --create > /dev/null 2>&1; for d in 0000-01-01T00:00:01Z 0000-12-31T23:59:59Z 9999-12-31T23:59:59Z @-63145526401; do strata insert d.realm D d=$d 2> /dev/null; done; strata query d.realm D --json
{"$key":1,"d":"0000-01-01T00:00:01Z"}
{"$key":2,"d":"0000-12-31T23:59:59Z"}
{"$key":3,"d":"9999-12-31T23:59:59Z"}
{"$key":4,"d":"@-63145526401.0"}

# A commit is no row.
$ strata changes a.realm --kept --no-follow --csv
strata: a commit is no row, so changes has no columns; --json writes a line for each commit
[2]
