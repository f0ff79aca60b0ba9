$ printf 'version 1\nclass Task {\n id: int primary\n title: string\n done: bool\n}\n' | strata migrate a.realm - --create && strata insert a.realm Task id=1 title=first
difference	stored	declared	cost	hint
Task: class is new	\N	\N	free	\N
the file has version 1 of its schema
created one Task

# Each change of the result is told, whichever process made it.
$ strata watch a.realm "Task where done == false sort title" --until 3 > seen & until [ -s seen ]; do sleep 0.1; done; strata insert a.realm Task id=2 title=another; strata set a.realm "Task where id == 1" title=zoo; strata set a.realm "Task where id == 2" done=true; wait; cat seen
created one Task
changed 1 of Task
changed 1 of Task
+	1	1	first	false
+	2	2	another	false
~	1	1	zoo	false
-	2

$ rm seen; strata watch a.realm Task --until 2 --json > seen & until [ -s seen ]; do sleep 0.1; done; strata set a.realm "Task where id == 1" title=x; strata delete a.realm "Task where id == 2" --yes; wait; cat seen
changed 1 of Task
deleted 1 of Task
{"change":"+","key":1,"object":{"id":1,"title":"zoo","done":false}}
{"change":"+","key":2,"object":{"id":2,"title":"another","done":true}}
{"change":"~","key":1,"object":{"id":1,"title":"x","done":false}}
{"change":"-","key":2}

$ strata changes a.realm --until 2 > seen & sleep 2; strata insert a.realm Task id=3; strata set a.realm "Task where id == 3" title=x done=true; wait; sed 's/  .*//; s/^~/  ~/' seen; grep -c process seen; grep '^  ' seen
created one Task
changed 1 of Task
commit 9

commit 10

2
  + Task 3
  ~ Task 3: title, done

# What was before, if the file was told to keep it.
$ strata changes a.realm --keep 1
the file keeps 1 MiB of records; before, 0

$ strata changes a.realm --until 1 --json > first & sleep 2; strata insert a.realm Task id=4; wait; strata insert a.realm Task id=5; strata delete a.realm "Task where id == 5" --yes; strata changes a.realm --no-follow --after $(sed 's/.*"token":"\([^"]*\).*/\1/' first) | grep '^  '
created one Task
created one Task
deleted 1 of Task
  + Task $key 5
  - Task $key 5

# Without a token from the oldest commit that is kept.
$ strata changes a.realm --kept --no-follow | grep '^  '
  + Task $key 2
  ~ Task 1: title
  ~ Task $key 2: done
  ~ Task 1: title
  - Task $key 2
  + Task 3
  ~ Task 3: title, done
  + Task 4
  + Task $key 5
  - Task $key 5

# Objects have the names by which get finds them; what is gone, or has no primary key, has that of its object key.
$ printf '{"$schema":"class A {\\n id: int primary\\n v: int\\n}\\nclass B {\\n id: string primary\\n}\\nclass C {\\n v: int\\n}"}\n' > keys.ndjson && strata import keys.realm keys.ndjson --yes 2> /dev/null; strata changes keys.realm --keep 1; printf '%s\n' '{"$class":"A","id":2}' '{"$class":"A","id":-1}' '{"$class":"B","id":"a b"}' '{"$class":"B","id":"'"$(printf %2000s x)"'"}' '{"$class":"C"}' | strata import keys.realm - --format ndjson; strata set keys.realm "A where id == 2" v=5; strata delete keys.realm "A where id == -1" --yes; strata delete keys.realm C --yes --confirm C; strata changes keys.realm --kept --no-follow | grep '^  ' | sed 's/   *x/ .../'; strata changes keys.realm --kept --no-follow --json | sed 's/.*"changes"/"changes"/; s/   *x/.../'
the file keeps 1 MiB of records; before, 0
5 created
changed 1 of A
deleted 1 of A
deleted 1 of C
  + A 2
  + A $key 2
  + B a b
  + B ...
  + C $key 1
  ~ A 2: v
  - A $key 2
  - C $key 1
"changes":[{"class":"A","key":1,"primary":2,"change":"created","properties":[]},{"class":"A","key":2,"primary":null,"change":"created","properties":[]},{"class":"B","key":1,"primary":"a b","change":"created","properties":[]},{"class":"B","key":2,"primary":"...","change":"created","properties":[]},{"class":"C","key":1,"primary":null,"change":"created","properties":[]}]}
"changes":[{"class":"A","key":1,"primary":2,"change":"changed","properties":["v"]}]}
"changes":[{"class":"A","key":2,"primary":null,"change":"deleted","properties":[]}]}
"changes":[{"class":"C","key":1,"primary":null,"change":"deleted","properties":[]}]}

$ strata changes a.realm --kept --after nonsense
strata: --kept and --after are two beginnings; give one of them
[2]

$ strata changes a.realm --after nonsense
strata: the text of a token has 64 digits from 0 to 9 and a to f
[2]

% (sleep 2; strata insert a.realm Task id=7 title=seven 2> created) & strata watch a.realm Task --until 1 --no-color; wait; cat created
<ESC>[H<ESC>[2JTask: 3   commit 14
id  title  done
 1  x      false
 3  x      true
 4         false
<ESC>[H<ESC>[2JTask: 4   +1 ~0 -0   commit 15
id  title  done
 1  x      false
 3  x      true
 4         false
 7  seven  false
created one Task

# Another program removes what the query asks for.
$ printf 'class T {\n d: int\n}\n' > d.txt; printf 'version 1\nclass T {\n e: int\n}\n' > e.txt; strata migrate w.realm d.txt --create > out 2>&1; rm -f seen; strata watch w.realm "T where d > 1" --csv > seen 2>&1 & watch=$!; until [ -s seen ]; do sleep 0.1; done; strata migrate w.realm e.txt --yes > out 2>&1; wait $watch; code=$?; cat seen; exit $code
change,$key,d
strata: another program has removed T.d from w.realm; watch without it
[2]
