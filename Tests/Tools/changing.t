$ printf 'version 1\nclass P {\n id: int primary\n name: string?\n age: int\n ok: bool\n boss: P?\n tags: list<string>\n home: H?\n any: any\n u: uuid?\n}\nclass K {\n n: int\n p: P?\n}\nembedded H {\n street: string\n}\n' > schema && strata migrate a.realm schema --create --yes
difference	stored	declared	cost	hint
P: class is new	\N	\N	free	\N
K: class is new	\N	\N	free	\N
H: class is new	\N	\N	free	\N
the file has version 1 of its schema

# insert
$ strata insert a.realm P id=77 id=78
strata: P.id is given twice
[2]

$ strata insert a.realm P id=1 name=Ann age=30 ok=true tags:='["a","b"]' home:='{"street":"Elm"}' any:='{"$date":"2020-01-01T00:00:00Z"}'
created one P

$ strata insert a.realm P id=2 boss=1 u=123e4567-e89b-12d3-a456-426614174000 name:=null
created one P

$ strata insert a.realm K n=7 p=1
created one K with the $key 1

$ strata insert a.realm K n=8 --dry-run
would create one K

$ strata query a.realm P --json
{"id":1,"name":"Ann","age":30,"ok":true,"boss":null,"tags":["a","b"],"home":{"street":"Elm"},"any":{"$date":"2020-01-01T00:00:00Z"},"u":null}
{"id":2,"name":null,"age":0,"ok":false,"boss":1,"tags":[],"home":null,"any":null,"u":"123e4567-e89b-12d3-a456-426614174000"}

$ strata query a.realm K --json
{"$key":1,"n":7,"p":1}

$ strata insert a.realm P id=1
strata: an object of P with the primary key 1 is there already
[2]

$ strata insert a.realm P id=3 age=old
strata: 'old' is no whole number; age takes one
[2]

$ strata insert a.realm P id=3 naem=x
strata: P has no property 'naem'; did you mean 'name'?
[2]

$ strata insert a.realm P id=3 boss=77
strata: there is no P 77 to link to
[2]

$ strata insert a.realm P id=3 tags=a
strata: 'tags' holds several values: write tags:=[...] with JSON behind it
[2]

$ strata insert a.realm P id=3 name
strata: 'name' is no assignment; write property=text, or property:=JSON
[2]

$ strata insert a.realm P name=x
strata: P.id is missing, the primary key
[2]

$ strata insert a.realm H street=x
strata: H is embedded: its objects live only inside of others
[2]

$ strata count a.realm P
2

# set
$ strata set a.realm "P where id == 1" age=31 name="Ann B." home:=null
changed 1 of P

$ strata set a.realm P ok=true
strata: nothing was changed; to go on without a question, add --yes
[6]

$ strata set a.realm P ok=true --dry-run
would change 2 of P

$ strata set a.realm P ok=true --yes
changed 2 of P

$ strata set a.realm K n=9
changed 1 of K

$ strata set a.realm P id=4
strata: P.id is the primary key, which never changes
[2]

$ strata set a.realm "P where id == 1" age=x
strata: 'x' is no whole number; age takes one
[2]

$ strata query a.realm P --json
{"id":1,"name":"Ann B.","age":31,"ok":true,"boss":null,"tags":["a","b"],"home":null,"any":{"$date":"2020-01-01T00:00:00Z"},"u":null}
{"id":2,"name":null,"age":0,"ok":true,"boss":1,"tags":[],"home":null,"any":null,"u":"123e4567-e89b-12d3-a456-426614174000"}

$ strata query a.realm K --json
{"$key":1,"n":9,"p":1}

$ strata count a.realm H
0

$ strata set a.realm P any:=[1 --yes
strata: '[1' is no value in JSON, which any:= takes
[2]

$ strata set a.realm P any:='{"$date":1}' --yes
strata: P.any: 1 is not a date, such as 2026-11-23T20:15:00Z
[2]

# delete
$ strata delete a.realm "P where id == 1"
strata: nothing was changed; to go on without a question, add --yes
[6]

$ strata delete a.realm "P where id == 1" --dry-run
would delete 1 of P

$ strata delete a.realm "P where id == 9" --yes
there is nothing to delete

$ strata delete a.realm "P where id == 1" --yes
deleted 1 of P

$ strata query a.realm K --json
{"$key":1,"n":9,"p":null}

% echo n | strata delete a.realm P
<ESC>[31mstrata:<ESC>[0m nothing was changed; to go on without a question, add --yes
[6]

$ strata check a.realm --json
{"classes":3,"objects":2,"index entries":1,"links":0,"elements":0,"result":"sound"}

# All objects of a class.
$ cp a.realm all.realm; strata count all.realm P
1

$ strata insert all.realm P id=5 && strata delete all.realm P --yes
created one P
strata: nothing was changed; to delete all objects of P, add --confirm P
[6]

$ strata delete all.realm "P where id > 0" --confirm Q
strata: nothing was changed; to delete all objects of P, add --confirm P
[6]

$ strata delete all.realm P --dry-run
would delete 2 of P

% strata delete all.realm P
< y
y
Delete all 2 objects of P? Type the name of the class: <ESC>[31mstrata:<ESC>[0m nothing was changed; to delete all objects of P, add --confirm P
[6]

% strata delete all.realm P
< P
P
Delete all 2 objects of P? Type the name of the class: deleted 2 of P

$ strata insert all.realm P id=6; strata insert all.realm P id=7; strata delete all.realm P --confirm P
created one P
created one P
deleted 2 of P

$ strata insert all.realm P id=8; strata delete all.realm P --confirm P
created one P
deleted 1 of P

# A question on a terminal.
% strata delete a.realm K
< n
n
Delete the object of K? [y/N] <ESC>[31mstrata:<ESC>[0m nothing was changed; to go on without a question, add --yes
[6]

% strata delete a.realm K
< y
y
Delete the object of K? [y/N] deleted 1 of K

$ strata count a.realm K
0

# Names are equal if their bytes are.
$ printf 'version 1\nclass X {\n "e\314\201": string?\n "\303\251": string?\n}\n' | sed "s/\"/'/g" > accents.schema && strata migrate accents.realm accents.schema --create > /dev/null 2>&1; strata insert accents.realm X "$(printf '\303\251=one')"; strata set accents.realm X "$(printf 'e\314\201=two')"; strata query accents.realm X --columns "$(printf '\303\251')"
created one X with the $key 1
changed 1 of X
é
one

# Numbers as people write them, and JSON of several lines.
$ printf 'version 1\nclass N {\n i: int\n f: float?\n d: double?\n tags: list<string>\n}\n' > numbers.schema && strata migrate numbers.realm numbers.schema --create > /dev/null 2>&1; strata insert numbers.realm N i=+5 f=.5 d=5. tags:="$(printf '["a",\n"b"]')"; strata set numbers.realm N i=007 f=+3 d=-1e20; strata query numbers.realm N --json
created one N with the $key 1
changed 1 of N
{"$key":1,"i":7,"f":3.0,"d":-1e+20,"tags":["a","b"]}

$ strata set numbers.realm N d=0x1p3; strata set numbers.realm N d=1e400; strata set numbers.realm N i=9223372036854775808
strata: N.d: "0x1p3" is not a number
strata: '1e400' is too large for a number, which d is
strata: '9223372036854775808' is out of range: i is a whole number from -9223372036854775808 to 9223372036854775807
[2]

# Numbers that are none, or too large.
$ printf 'class F {\n age: int\n fl: float\n d: double\n}\n' > float.schema; strata migrate float.realm float.schema --create > /dev/null 2>&1; for value in age=--5 age=+-5 age=-99999999999999999999 fl=1e39 fl=-1e39 fl:=1e39 d=1e400 d:=1e400; do strata insert float.realm F $value; done
strata: '--5' is no whole number; age takes one
strata: '+-5' is no whole number; age takes one
strata: '-99999999999999999999' is out of range: age is a whole number from -9223372036854775808 to 9223372036854775807
strata: '1e39' is too large for a float, which fl is
strata: '-1e39' is too large for a float, which fl is
strata: F.fl: "1e39" is more than a float holds
strata: '1e400' is too large for a number, which d is
strata: F.d: "1e400" is more than a double holds
[2]
