# What a file, or a mistake on the command line, must not do.
$ printf '{"id":1,"name":"Rex","age":3}\n{"id":-5,"name":"\\u001b[2J\\u001b]0;title\\u0007 \\u202eabc","age":5}\n' > dogs.ndjson && strata import zoo.realm dogs.ndjson --class Dog --primary id --yes 2> /dev/null

# Rejected lines never replace a file: not what they come from, and not the database.
$ strata import zoo.realm dogs.ndjson --class Dog --rejects dogs.ndjson; wc -l < dogs.ndjson
strata: dogs.ndjson is there already; --rejects writes a new file
2

$ strata import zoo.realm dogs.ndjson --class Dog --rejects zoo.realm; strata count zoo.realm Dog
strata: zoo.realm is there already; --rejects writes a new file
2

$ strata import zoo.realm dogs.ndjson --class Dog --rejects bad.ndjson && wc -l < bad.ndjson
0 created, 2 put into bad.ndjson
2

# An answer that cannot be written is no success.
$ strata ls zoo.realm > /dev/full
strata: the answer cannot be written: No space left on device
[3]

$ strata count zoo.realm Dog > /dev/full
strata: the answer cannot be written: No space left on device
[3]

$ strata export zoo.realm > /dev/full
strata: the answer cannot be written: No space left on device
[3]

$ strata query zoo.realm Dog --csv > /dev/full
strata: the answer cannot be written: No space left on device
[3]

# What stands behind the number is not passed over.
$ strata count zoo.realm "Dog limit 1 foo"
strata: at column 13: 'foo' follows 'limit 1'
  Dog limit 1 foo
              ^
[2]

$ strata count zoo.realm "Dog limit 1 limit 2"
strata: at column 13: 'limit' stands there twice
  Dog limit 1 limit 2
              ^
[2]

$ strata count zoo.realm "Dog skip 1 skip 0"
strata: at column 12: 'skip' stands there twice
  Dog skip 1 skip 0
             ^
[2]

# A key is a key, not a condition.
$ strata get zoo.realm Dog "7 OR TRUEPREDICATE"
strata: '7 OR TRUEPREDICATE' is no whole number, which Dog.id is
[2]

$ strata get zoo.realm Dog --json -- -5
{"id":-5,"name":"\u001b[2J\u001b]0;title\u0007 ‮abc","age":5}

# JSON for one property is one value.
$ strata set zoo.realm "Dog where id == 1" 'age:=4,"id":-5'
strata: '4,"id":-5' is no value in JSON, which age:= takes
[2]

$ strata insert zoo.realm Dog id=9 'age:=4}{'
strata: '4}{' is no value in JSON, which age:= takes
[2]

# Values of a file do not command the terminal.
% strata get zoo.realm Dog --no-color -- -5
id      -5
name    ·[2J·]0;title· ·abc
age     5

% strata show zoo.realm "Dog where id == -5" --no-color
id  name                 age
-5  ·[2J·]0;title· ·abc    5

# Odd names.
$ cat > odd.schema <<'END' && strata migrate odd.realm odd.schema --create --yes 2>&1 | tail -1
> class 'O\'Neil, "x" (y)' {
>     'where': int primary
>     'a b': string indexed
>     sort: int
> }
> END
the file has version 0 of its schema

$ strata insert odd.realm "O'Neil, \"x\" (y)" where=1 "a b=x, y" sort=3 && strata insert odd.realm "O'Neil, \"x\" (y)" where=2 "a b=b" sort=4
created one O'Neil, "x" (y)
created one O'Neil, "x" (y)

$ strata query odd.realm "'O\'Neil, \"x\" (y)' where #'where' < 9 AND #'sort' > 2 sort #'a b', #'sort' desc"
where	a b	sort
2	b	4
1	x, y	3

$ strata get odd.realm "O'Neil, \"x\" (y)" 1 --plain
where	a b	sort
1	x, y	3

$ strata export odd.realm > odd.ndjson && strata import copy.realm odd.ndjson --yes 2> /dev/null && strata export copy.realm | diff - odd.ndjson

# What watch tells of an object begins with its key, whatever is in it.
$ printf '{"id":3,"name":"","age":1}\n{"id":4,"name":"a\\nb","age":1}\n' | strata import zoo.realm - --class Dog --format ndjson && strata watch zoo.realm "Dog where id > 0" --columns name --csv --until 0
2 created
change,$key,name
+,1,Rex
+,3,""
+,4,"a
b"

$ strata watch zoo.realm "Dog where id > 0" --columns name --plain --until 0
+	1	Rex
+	3	
+	4	a\nb

# A property that gets another name loses nothing; a wrong name is told before anything happens.
$ printf 'version 1\nclass Dog {\n id: int primary\n called: string\n age: int\n}\n' > named.schema && strata migrate zoo.realm named.schema --rename Dog.nmae=called --dry-run
strata: Dog has no property 'nmae'; did you mean 'name'?
[2]

$ strata migrate zoo.realm named.schema --rename Dog.name=called --dry-run
difference	stored	declared	cost	hint
Dog.name: property is called called	string	string	free	\N

$ strata migrate zoo.realm named.schema --rename Dog.name=called && strata query zoo.realm "Dog where id == 1" --json
difference	stored	declared	cost	hint
Dog.name: property is called called	string	string	free	\N
the file has version 1 of its schema
{"id":1,"called":"Rex","age":3}

# An export that cannot go on, here at a size of 2 MiB, leaves nothing behind.
$ seq 300000 | sed 's/.*/{"id":&}/' > many.ndjson && strata import many.realm many.ndjson --class N --primary id --yes 2> /dev/null; (ulimit -f 4096; strata export many.realm --output out.ndjson); echo $?; ls out*
strata: out.ndjson cannot be written: File too large; the file size limit of the process is used up, which ulimit -f shows
3
ls: cannot access 'out*': No such file or directory
[2]

# A property that records could not tell from what they say themselves.
$ printf "version 1\nclass X {\n '\$class': string\n}\n" | strata migrate reserved.realm - --create; ls reserved.realm
strata: schema, line 3, column 2: expected a name by which records say nothing else, not '$class'
ls: cannot access 'reserved.realm': No such file or directory
[2]

# Numbers that are too large, and words that are none.
$ printf 'class N {\n id: int primary\n d: double\n}\n' | strata migrate n.realm - --create > out; strata get n.realm N 12345678901234567890
the file has version 0 of its schema
strata: '12345678901234567890' is no whole number from -9223372036854775808 to 9223372036854775807, which N.id is
[2]

$ strata get n.realm N seven
strata: 'seven' is no whole number, which N.id is
[2]

$ printf 'id,d\n1,inf\n' | strata import n.realm - --format csv --class N
strata: line 2: N.d: "inf" is not a number
[2]

$ printf 'id,d\n1,1e400\n' | strata import n.realm - --format csv --class N
strata: line 2: N.d: "1e400" is more than a double holds
[2]
