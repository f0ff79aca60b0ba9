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

$ strata get zoo.realm Dog --plain --columns name -- -5
Error: Unknown option '--columns'
Usage: strata get <file> <class-name> <key> [--json] [--csv] [--plain] [--no-color] [--no-pager]
  See 'strata get --help' for more information.
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
> class "O'Neil, \"x\" (y)" {
>     "where": int primary
>     "a b": string
> }
> END
strata: schema, line 1, column 7: expected the name of the class, not '"'
