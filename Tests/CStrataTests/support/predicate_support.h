/* SPDX-License-Identifier: MIT
 *
 * predicate_support.h -- a schema with a column of every kind, and conditions as text.
 *
 *     Person   name s?, age i, height d?, weight f, born date?, id uuid, oid, photo data, balance dec, flag bool,
 *              any mixed, dog -> Dog, dogs [Dog], friends {Person}, scores [i], tags {s}, prices {s: d}, pets {s: Dog},
 *              anys [mixed], home -> Place, places [Place], like s
 *     Dog      name s, age i, owner -> Person, toys [Toy]
 *     Toy      name s, weight d
 *     Place    type s, coordinates [d]   (embedded)
 */
#ifndef PREDICATE_SUPPORT_H
#define PREDICATE_SUPPORT_H

#include "strata_predicate.h"
#include "support/strata_support.h"

enum { PERSON, DOG, TOY, PLACE, ZOO_TABLES };
enum {
    P_NAME, P_AGE, P_HEIGHT, P_WEIGHT, P_BORN, P_ID, P_OID, P_PHOTO, P_BALANCE, P_FLAG, P_ANY, P_DOG, P_DOGS, P_FRIENDS,
    P_SCORES, P_TAGS, P_PRICES, P_PETS, P_ANYS, P_HOME, P_PLACES, P_LIKE
};
enum { D_NAME, D_AGE, D_OWNER, D_TOYS };
enum { T_NAME, T_WEIGHT };

extern const strata_table_spec zoo_tables[ZOO_TABLES];

/** "owners": the persons that have a dog; "puppies" of Person: its dogs. */
extern const strata_alias zoo_aliases[];
extern const uint32_t zoo_alias_count;

/** A condition as text, such as "AND(age > 5, NOT(dogs.name == 'Rex'))". Lifetime: until the next call. */
const char *condition_text(strata_view *view, uint32_t table, const strata_condition *condition);

/** Arguments of a predicate. */
static inline strata_argument argument_of(strata_value value) {
    return (strata_argument){ STRATA_ARGUMENT_VALUE, value, NULL, 0, NULL };
}
static inline strata_argument argument_list(const strata_value *values, uint32_t count) {
    return (strata_argument){ STRATA_ARGUMENT_LIST, strata_null(), values, count, NULL };
}
static inline strata_argument argument_shape(const strata_shape *shape) {
    return (strata_argument){ STRATA_ARGUMENT_SHAPE, strata_null(), NULL, 0, shape };
}
static inline strata_argument argument_nothing(void) {
    return (strata_argument){ STRATA_ARGUMENT_NOTHING, strata_null(), NULL, 0, NULL };
}

#endif
