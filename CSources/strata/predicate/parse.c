/* SPDX-License-Identifier: MIT
 * parse.c -- conditions: comparisons, and AND, OR and NOT between them. */
#include "predicate/parse.h"

#include <stdlib.h>

#include "base/status.h"
#include "predicate/suggestion.h"
#include "predicate/term.h"
#include "value/operator.h"

/* ---- Operators -------------------------------------------------------- */

static const struct {
    st_keyword word;
    strata_operator op;
} word_operators[] = {
    { ST_WORD_IN, STRATA_IN },           { ST_WORD_BETWEEN, STRATA_BETWEEN },   { ST_WORD_CONTAINS, STRATA_CONTAINS },
    { ST_WORD_BEGINS, STRATA_BEGINS_WITH }, { ST_WORD_ENDS, STRATA_ENDS_WITH }, { ST_WORD_LIKE, STRATA_LIKE },
};

/* Fails, and suggests the operator that was probably meant. */
static bool no_operator(st_lexer *lexer) {
    static const char *const words[] = { "IN", "BETWEEN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE" };
    const st_token *token = &lexer->token;
    if (st_on_condition_end(lexer)) return st_lexer_expected(lexer, "an operator, such as == true");
    st_suggestion suggestion = st_suggestion_begin(token->text);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) st_suggestion_consider(&suggestion, words[i]);
    if (token->kind != ST_TOKEN_NAME || suggestion.best == NULL) {
        return st_lexer_expected(lexer, "an operator, such as ==");
    }
    return st_lexer_fail(lexer, token->column, "expected an operator, found %.*s; did you mean %s?",
                         (int)token->text.size, (const char *)token->text.data, suggestion.best);
}

static bool parse_operator(st_parser *parser, strata_operator *out) {
    st_lexer *lexer = &parser->lexer;
    const st_token *token = &lexer->token;
    *out = token->op;
    if (token->kind == ST_TOKEN_COMPARE) return st_lexer_next(lexer);
    for (size_t i = 0; i < sizeof word_operators / sizeof word_operators[0]; i++) {
        if (!st_lexer_on_word(lexer, word_operators[i].word)) continue;
        *out = word_operators[i].op;
        return st_lexer_next(lexer);
    }
    if (st_lexer_on_word(lexer, ST_WORD_MATCHES)) {
        return st_lexer_fail(lexer, token->column,
                             "MATCHES and regular expressions are not supported; use LIKE with * and ?");
    }
    return no_operator(lexer);
}

/* Options: "c", "d" or both. */
static bool read_options(strata_bytes text, uint32_t *out) {
    const char *letters = text.data;
    for (size_t i = 0; i < text.size; i++) {
        char letter = (char)(letters[i] | 32);
        if (letter != 'c' && letter != 'd') return false;
        *out |= letter == 'c' ? STRATA_CASE_INSENSITIVE : STRATA_DIACRITIC_INSENSITIVE;
    }
    return text.size <= 2;
}

static bool parse_options(st_parser *parser, strata_operator op, uint32_t *out) {
    st_lexer *lexer = &parser->lexer;
    uint32_t column = lexer->token.column;
    *out = 0;
    if (!st_lexer_on_mark(lexer, '[')) return true;
    if (!st_lexer_next(lexer)) return false;
    if (lexer->token.kind != ST_TOKEN_NAME || lexer->token.escaped || !read_options(lexer->token.text, out)) {
        return st_lexer_expected(lexer, "the options c, d or cd");
    }
    if (!st_lexer_next(lexer) || !st_lexer_consume_mark(lexer, ']')) return false;
    if (st_is_order(op) || op == STRATA_BETWEEN) {
        return st_lexer_fail(lexer, column, "%s compares strings by their bytes and takes no options; leave [%s] out",
                             st_operator_text(op), *out == STRATA_CASE_INSENSITIVE        ? "c"
                                                   : *out == STRATA_DIACRITIC_INSENSITIVE ? "d" : "cd");
    }
    if (op == STRATA_LIKE && (*out & STRATA_DIACRITIC_INSENSITIVE) != 0) {
        return st_lexer_fail(lexer, column, "LIKE cannot ignore diacritics; write LIKE%s",
                             (*out & STRATA_CASE_INSENSITIVE) != 0 ? "[c]" : "");
    }
    return true;
}

/* ---- Comparisons ------------------------------------------------------ */

static strata_operator mirrored(strata_operator op) {
    switch (op) {
    case STRATA_LESS: return STRATA_GREATER;
    case STRATA_LESS_EQUAL: return STRATA_GREATER_EQUAL;
    case STRATA_GREATER: return STRATA_LESS;
    case STRATA_GREATER_EQUAL: return STRATA_LESS_EQUAL;
    default: return op;
    }
}

static bool is_single(const st_term *term) {
    return term->kind != ST_TERM_CONSTANT || term->constant.kind == STRATA_ARGUMENT_VALUE ||
           term->constant.kind == STRATA_ARGUMENT_NOTHING;
}

static bool check_in(st_parser *parser, const st_clause *clause) {
    const st_term *left = &clause->left, *right = &clause->right;
    bool path = right->kind == ST_TERM_PATH;
    if (right->kind == ST_TERM_SUBQUERY || left->kind == ST_TERM_SUBQUERY) {
        return st_lexer_fail(&parser->lexer, clause->column, "the count of a SUBQUERY is compared with ==, < and such");
    }
    if (!is_single(left)) {
        return st_lexer_fail(&parser->lexer, left->column, "a list or a shape stands on the right of IN");
    }
    if (left->kind == ST_TERM_CONSTANT && !path) {
        return st_lexer_fail(&parser->lexer, right->column, "a constant is looked for IN a collection, not in another "
                                                            "constant");
    }
    if (path || right->constant.kind != STRATA_ARGUMENT_VALUE) return true;
    return st_lexer_fail(&parser->lexer, right->column, "behind IN stands a list, such as {1, 2}, or a collection");
}

static bool check_between(st_parser *parser, const st_clause *clause) {
    const st_term *right = &clause->right;
    if (clause->left.kind == ST_TERM_CONSTANT) {
        return st_lexer_fail(&parser->lexer, clause->left.column, "a property stands on the left of BETWEEN");
    }
    bool list = right->kind == ST_TERM_CONSTANT && right->constant.kind == STRATA_ARGUMENT_LIST;
    if (list && right->constant.value_count == 2) return true;
    if (list) {
        return st_lexer_fail(&parser->lexer, right->column, "BETWEEN takes two bounds, not %u",
                             right->constant.value_count);
    }
    return st_lexer_fail(&parser->lexer, right->column, "behind BETWEEN stands a list of two bounds, such as {1, 5}");
}

/* Checks the two sides, and puts a constant on the right one. */
static bool arrange(st_parser *parser, st_clause *clause) {
    st_term *left = &clause->left, *right = &clause->right;
    if (clause->op == STRATA_IN) return check_in(parser, clause);
    if (clause->op == STRATA_BETWEEN) return check_between(parser, clause);
    if (!is_single(left) || !is_single(right)) {
        const st_term *term = is_single(left) ? right : left;
        return st_lexer_fail(&parser->lexer, term->column, "a list or a shape is compared with IN, not with %s",
                             st_operator_text(clause->op));
    }
    if (left->kind == ST_TERM_SUBQUERY && st_is_textual(clause->op)) {
        return st_lexer_fail(&parser->lexer, clause->column, "the count of a SUBQUERY is compared with ==, < and such");
    }
    if (left->kind != ST_TERM_CONSTANT) return true;
    if (right->kind == ST_TERM_CONSTANT) {
        return st_lexer_fail(&parser->lexer, left->column, "two constants are compared; one side is a property");
    }
    if (st_is_textual(clause->op)) {
        return st_lexer_fail(&parser->lexer, left->column, "the property stands on the left of %s, the constant on "
                                                           "the right", st_operator_text(clause->op));
    }
    st_term constant = *left;
    *left = *right;
    *right = constant;
    clause->op = mirrored(clause->op);
    return true;
}

static st_clause *clause_of(st_parser *parser, strata_operator op) {
    st_clause *clause = st_arena_alloc(parser->memory, sizeof *clause);
    if (clause == NULL) {
        st_lexer_no_memory(&parser->lexer);
        return NULL;
    }
    memset(clause, 0, sizeof *clause);
    clause->op = op;
    clause->column = parser->lexer.token.column;
    if (++parser->node_count <= STRATA_MAX_NODES) return clause;
    st_lexer_fail(&parser->lexer, clause->column, "a predicate has more than %d conditions here", STRATA_MAX_NODES);
    return NULL;
}

/* The quantifier, if there is one, and the left side. */
static bool parse_left(st_parser *parser, st_clause *clause) {
    st_lexer *lexer = &parser->lexer;
    parser->behind_operator = false;
    st_token word = lexer->token;
    if (st_lexer_on_word(lexer, ST_WORD_ANY)) clause->quantifier = ST_QUANTIFIER_ANY;
    if (st_lexer_on_word(lexer, ST_WORD_NO_ONE)) {
        clause->quantifier = ST_QUANTIFIER_NONE;
        parser->node_count++; /* it becomes a NOT */
    }
    if (clause->quantifier == ST_QUANTIFIER_NONE_GIVEN) return st_parse_term(parser, &clause->left);
    if (!st_lexer_next(lexer)) return false;
    if (!st_on_rest(lexer)) return st_parse_term(parser, &clause->left);
    clause->quantifier = ST_QUANTIFIER_NONE_GIVEN; /* the word is the name of a property */
    return st_parse_rest(parser, &word, &clause->left);
}

static st_clause *parse_comparison(st_parser *parser) {
    st_lexer *lexer = &parser->lexer;
    st_clause *clause = clause_of(parser, STRATA_TRUE);
    if (clause == NULL) return NULL;
    if (!parse_left(parser, clause)) return NULL;
    clause->column = lexer->token.column;
    if (!parse_operator(parser, &clause->op) || !parse_options(parser, clause->op, &clause->options)) return NULL;
    parser->behind_operator = true;
    bool set = clause->op == STRATA_IN || clause->op == STRATA_BETWEEN;
    if (!(set ? st_parse_set(parser, &clause->right) : st_parse_term(parser, &clause->right))) return NULL;
    if (!arrange(parser, clause)) return NULL;
    const st_term *terms[] = { &clause->left, &clause->right };
    for (size_t i = 0; i < 2; i++) {
        const st_clause *inner = terms[i]->condition;
        if (inner != NULL && inner->depth >= clause->depth) clause->depth = inner->depth + 1;
    }
    return clause;
}

static st_clause *parse_simple(st_parser *parser) {
    st_lexer *lexer = &parser->lexer;
    bool yes = st_lexer_on_word(lexer, ST_WORD_TRUE_PREDICATE);
    if (!yes && !st_lexer_on_word(lexer, ST_WORD_FALSE_PREDICATE)) return parse_comparison(parser);
    st_clause *clause = clause_of(parser, yes ? STRATA_TRUE : STRATA_FALSE);
    return clause != NULL && st_lexer_next(lexer) ? clause : NULL;
}

/* ---- Trees ------------------------------------------------------------ */

/* Clauses joined by one operator. */
typedef struct chain {
    st_clause *first, *last;
    uint32_t count;
} chain;

/* An open parenthesis; the outermost level is the whole condition. */
typedef struct st_level {
    struct st_level *outer;
    bool negate; /* NOT stands in front of it */
    chain ors;   /* the clauses before the last OR */
    chain ands;  /* the clauses behind it */
} st_level;

static void append(chain *to, st_clause *first, st_clause *last, uint32_t count) {
    if (to->last == NULL) to->first = first;
    else to->last->next = first;
    to->last = last;
    to->count += count;
}

/* Adds a clause to a chain; of a clause with the operator of the chain, its children are added. */
static void link_clause(chain *to, strata_operator op, st_clause *clause) {
    if (clause->op == op) append(to, clause->first, clause->last, clause->child_count);
    else append(to, clause, clause, 1);
}

/* Makes one clause of a chain, which is empty then: its only member, or a new clause above all members. */
static st_clause *close_chain(st_parser *parser, strata_operator op, chain *joined) {
    st_clause *clause = joined->first;
    if (joined->count > 1) {
        clause = clause_of(parser, op);
        if (clause == NULL) return NULL;
        clause->first = joined->first;
        clause->last = joined->last;
        clause->child_count = joined->count;
        for (const st_clause *child = clause->first; child != NULL; child = child->next) {
            if (child->depth >= clause->depth) clause->depth = child->depth + 1;
        }
    }
    *joined = (chain){ 0 };
    if (clause->depth <= ST_PREDICATE_DEPTH) return clause;
    st_lexer_fail(&parser->lexer, parser->lexer.token.column, "conditions are nested more than %d deep here",
                  ST_PREDICATE_DEPTH);
    return NULL;
}

/* The opposite of a clause; that of a NOT is its child. */
static st_clause *negated(st_parser *parser, st_clause *clause) {
    if (clause->op == STRATA_NOT) return clause->first;
    chain one = { clause, clause, 1 };
    st_clause *not = clause_of(parser, STRATA_NOT);
    if (not == NULL) return NULL;
    not->first = one.first;
    not->last = one.last;
    not->child_count = 1;
    not->depth = clause->depth + 1;
    return not;
}

static bool open_level(st_parser *parser, st_level **top, bool negate) {
    st_level *inner = parser->closed;
    if (inner != NULL) parser->closed = inner->outer;
    else inner = st_arena_alloc(parser->memory, sizeof *inner);
    if (inner == NULL) return st_lexer_no_memory(&parser->lexer);
    *inner = (st_level){ .outer = *top, .negate = negate };
    *top = inner;
    return true;
}

/* Closes the innermost level and makes one clause of it. */
static st_clause *close_level(st_parser *parser, st_level **top) {
    st_level *inner = *top;
    *top = inner->outer;
    inner->outer = parser->closed;
    parser->closed = inner;
    st_clause *ands = close_chain(parser, STRATA_AND, &inner->ands);
    if (ands == NULL) return NULL;
    link_clause(&inner->ors, STRATA_OR, ands);
    st_clause *all = close_chain(parser, STRATA_OR, &inner->ors);
    return all != NULL && inner->negate ? negated(parser, all) : all;
}

static bool on_not(const st_lexer *lexer) {
    return lexer->token.kind == ST_TOKEN_NOT || st_lexer_on_word(lexer, ST_WORD_NOT);
}

/* One simple clause, with any number of NOT and of parentheses in front of it. */
static st_clause *parse_opening(st_parser *parser, st_level **top) {
    st_lexer *lexer = &parser->lexer;
    bool negate = false;
    for (;;) {
        bool parenthesis = st_lexer_on_mark(lexer, '(');
        if (!parenthesis && !on_not(lexer)) break;
        if (parenthesis && !open_level(parser, top, negate)) return NULL;
        negate = !parenthesis && !negate;
        if (!st_lexer_next(lexer)) return NULL;
    }
    st_clause *clause = parse_simple(parser);
    return clause != NULL && negate ? negated(parser, clause) : clause;
}

/* Closes the parentheses that end behind a clause. */
static st_clause *parse_closing(st_parser *parser, st_level **top, st_clause *clause) {
    st_lexer *lexer = &parser->lexer;
    while ((*top)->outer != NULL && st_lexer_on_mark(lexer, ')')) {
        link_clause(&(*top)->ands, STRATA_AND, clause);
        clause = close_level(parser, top);
        if (clause == NULL || !st_lexer_next(lexer)) return NULL;
    }
    return clause;
}

/* Parentheses are a list of levels instead of a recursion: programs nest them as deep as they have clauses. */
st_clause *st_parse_condition(st_parser *parser) {
    st_lexer *lexer = &parser->lexer;
    st_level *top = NULL;
    if (!open_level(parser, &top, false)) return NULL;
    for (;;) {
        st_clause *clause = parse_opening(parser, &top);
        if (clause != NULL) clause = parse_closing(parser, &top, clause);
        if (clause == NULL) return NULL;
        link_clause(&top->ands, STRATA_AND, clause);
        bool or = lexer->token.kind == ST_TOKEN_OR || st_lexer_on_word(lexer, ST_WORD_OR);
        if (!or && lexer->token.kind != ST_TOKEN_AND && !st_lexer_on_word(lexer, ST_WORD_AND)) break;
        if (or) {
            st_clause *ands = close_chain(parser, STRATA_AND, &top->ands);
            if (ands == NULL) return NULL;
            link_clause(&top->ors, STRATA_OR, ands);
        }
        if (!st_lexer_next(lexer)) return NULL;
    }
    if (top->outer == NULL) return close_level(parser, &top);
    st_lexer_expected(lexer, "AND, OR or )");
    return NULL;
}

/* ---- The whole -------------------------------------------------------- */

/* Parses all of the text. NULL after a failure. */
static const st_clause *parse(st_parser *parser, const char *text, size_t size, strata_error *error) {
    st_lexer *lexer = &parser->lexer;
    const uint8_t *copy = st_copy(parser->memory, text, size <= ST_PREDICATE_TEXT ? size : 0);
    if (copy == NULL) {
        st_lexer_no_memory(lexer);
        return NULL;
    }
    if (!st_lexer_begin(lexer, copy, size, parser->memory, error)) return NULL;
    const st_clause *root = st_parse_condition(parser);
    if (root == NULL || lexer->token.kind == ST_TOKEN_END) return root;
    st_lexer_expected(lexer, "AND, OR or the end of the predicate");
    return NULL;
}

strata_status strata_predicate_parse(const char *text, size_t size, const strata_argument *arguments,
                                     uint32_t argument_count, strata_predicate **out, strata_error *error) {
    *out = NULL;
    if ((size != 0 && text == NULL) || (argument_count != 0 && arguments == NULL)) {
        return st_fail(error, STRATA_MISUSE, 0, "a predicate has text or arguments without an address");
    }
    if (argument_count > STRATA_MAX_CONSTANTS) {
        return st_fail(error, STRATA_MISUSE, 0, "a predicate has %u arguments; there may be %d", argument_count,
                       STRATA_MAX_CONSTANTS);
    }
    st_arena memory = { 0 };
    st_component components[ST_PREDICATE_COMPONENTS];
    st_parser parser = { .lexer = { .error = error }, .memory = &memory, .arguments = arguments,
                         .argument_count = argument_count, .components = components };
    const st_clause *root = parse(&parser, text, size, error);
    strata_predicate *predicate = root == NULL ? NULL : st_arena_alloc(&memory, sizeof *predicate);
    if (root != NULL && predicate == NULL) st_lexer_no_memory(&parser.lexer);
    free(parser.values.items);
    if (predicate == NULL) {
        st_arena_free(&memory);
        return parser.lexer.status;
    }
    *predicate = (strata_predicate){ memory, root, parser.node_count };
    *out = predicate;
    return STRATA_OK;
}

void strata_predicate_free(strata_predicate *predicate) {
    if (predicate == NULL) return;
    st_arena memory = predicate->memory;
    st_arena_free(&memory);
}
