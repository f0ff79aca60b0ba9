$ printf '{"id":1,"name":"Rex","age":3}\n{"id":2,"name":"Fido","age":11}\n' > p.ndjson && strata import zoo.realm p.ndjson --class Dog --primary id --yes > /dev/null 2>&1; printf 'ls\n# a comment\n\nDog where age > 3\ncount Dog\nDog where agee > 3\ninsert Dog id=3 name="a b" age=1\nquery Dog where id == 3 --json\nset "Dog where id == 3" age=2\nnonsense Dog\nshow Dog sort name --columns name\nexit\ncount Dog\n' | strata shell zoo.realm
class	objects	properties	primary key	kind
Dog	2	3	id	class
id	name	age
2	Fido	11
2
strata: at column 11: no property 'agee' in Dog; did you mean 'age'?
  Dog where agee > 3
            ^
created one Dog
{"id":3,"name":"a b","age":1}
changed 1 of Dog
strata: at column 10: expected where, sort, limit or skip behind nonsense, not 'Dog'; a class that is called so stands in quotes: 'nonsense Dog'
  nonsense Dog
           ^
name
Fido
Rex
a b
[2]
