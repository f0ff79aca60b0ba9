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
strata: line 1: no object of P before this one is called "77"
[2]

$ strata insert a.realm P id=30 next:='{"$key":1}'
strata: no object of P before this one is called "1"
[2]

$ strata count a.realm P
0

$ strata import a.realm class.ndjson --class P --rejects rejects.ndjson && cat rejects.ndjson
2 created, 1 put into rejects.ndjson
{"line":2,"reason":"the file has no class 'Pp'; did you mean 'P'?","text":"{\"$class\":\"Pp\",\"id\":2}"}

$ strata set a.realm "P where id == 1" next:='{"$key":99}'
strata: no object of P before this one is called "99"
[2]

$ strata import y.realm key.ndjson --class C --yes --primary idd; ls y.realm
strata: no record of C has a property 'idd' that could be the primary key
ls: cannot access 'y.realm': No such file or directory
[2]
