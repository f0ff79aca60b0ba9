// SPDX-License-Identifier: MIT
// SectionedResults+Observing.swift -- observing sections.

public import Dispatch
public import Foundation

/// How to get from the sections that an observer was told of last to those that there are now.
///
/// An index path is a section and an item in it: of deletions and modifications as they were before, of insertions as
/// they are now. The items of a section that went are not listed; those of one that came are.
@frozen public enum SectionedResultsChange<Collection> {
    /// The sections that there are at first.
    case initial(Collection)
    /// The sections changed.
    case update(
        Collection, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
        sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)

    fileprivate static func update(_ collection: Collection, _ changes: SectionChanges) -> Self {
        .update(
            collection, deletions: changes.deletions, insertions: changes.insertions,
            modifications: changes.modifications, sectionsToInsert: changes.come, sectionsToDelete: changes.gone)
    }
}

extension Sections {
    /// Begins to observe in the domain in which the caller runs.
    fileprivate func start(
        _ keyPaths: [String]?, _ token: NotificationToken, _ first: @escaping () -> Void,
        _ update: @escaping (SectionLayout<Key>, SectionLayout<Key>, SectionChanges) -> Void
    ) {
        let what = "sections of \(Element.self)", source = results.observedSource(what)
        if source.values != nil {
            misuse("\(what) are sections of values, which cannot be observed; observe the collection of the values")
        }
        source.session.requireObservable(what)
        var layout = SectionLayout(current)
        let paths = source.steps(keyPaths).paths
        let observation = source.session.observe(source.thing, paths, tellsFirst: true, what) { [self] told in
            switch told {
            case .didChange, .refreshRequired: break
            case .initial:
                layout = SectionLayout(current)
                first()
            case .skipped: layout = SectionLayout(current)
            case .changes(let changes, _):
                let before = layout
                layout = SectionLayout(current)
                update(before, layout, before.changes(to: layout, changes))
            }
        }
        token.begin(observation, source.session)
    }

    /// Does the same here, or on a queue.
    fileprivate func observe(
        on queue: DispatchQueue?, _ start: @escaping (Sections, NotificationToken) -> Void
    ) -> NotificationToken {
        let token = NotificationToken()
        guard let queue else {
            start(self, token)
            return token
        }
        Strata.observe(results, "sections of \(Element.self)", on: queue, token) { [self] results, token in
            if let results { start(with(results), token) }
        }
        return token
    }

    /// What begins to observe, when it is called on an actor.
    fileprivate func starter<A: Actor>(
        on actor: A, _ start: @escaping (Sections, NotificationToken) -> Void
    ) -> Transferred<() -> NotificationToken> {
        let elsewhere = ObservedElsewhere(results, "sections of \(Element.self)")
        return Transferred { [self] in
            Strata.observe(elsewhere, on: actor) { results, token in
                if let results { start(with(results), token) }
            }
        }
    }
}

extension SectionedResults {
    /// Calls a closure with the sections, some time later, and then whenever they changed. See
    /// ``RealmCollection/observe(keyPaths:on:_:)-([String]?,_,_)``; a delivery costs a look at the key of each section beside.
    /// Key paths should name the property by which the sections are made.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<SectionedResults>) -> Void
    ) -> NotificationToken {
        sections.observe(on: queue) { Self.start($0, keyPaths, $1, block) }
    }

    /// The same on an actor. Returns when the observation has begun.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<SectionedResults>) -> Void
    ) async -> NotificationToken {
        let start = sections.starter(on: actor) { sections, token in
            Self.start(sections, keyPaths, token, calling(block, on: actor))
        }
        return await run(start, on: actor)
    }

    private static func start(
        _ sections: Sections<SectionKey, Element>, _ keyPaths: [String]?, _ token: NotificationToken,
        _ block: @escaping (SectionedResultsChange<SectionedResults>) -> Void
    ) {
        let shown = SectionedResults(sections)
        sections.start(keyPaths, token) {
            block(.initial(shown))
        } _: { _, _, changes in
            if !changes.isEmpty { block(.update(shown, changes)) }
        }
    }
}

extension ResultsSection {
    /// Calls a closure with the section, some time later, and then whenever it changed. The section may go and come
    /// back.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<ResultsSection>) -> Void
    ) -> NotificationToken {
        let key = key
        return sections.observe(on: queue) { Self.start($0, key, keyPaths, $1, block) }
    }

    /// The same on an actor. Returns when the observation has begun.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<ResultsSection>) -> Void
    ) async -> NotificationToken {
        let key = key
        let start = sections.starter(on: actor) { sections, token in
            Self.start(sections, key, keyPaths, token, calling(block, on: actor))
        }
        return await run(start, on: actor)
    }

    private static func start(
        _ sections: Sections<SectionKey, Element>, _ key: SectionKey, _ keyPaths: [String]?,
        _ token: NotificationToken, _ block: @escaping (SectionedResultsChange<ResultsSection>) -> Void
    ) {
        let shown = ResultsSection(sections, key)
        sections.start(keyPaths, token) {
            block(.initial(shown))
        } _: { before, after, changes in
            let own = changes.only(before.keys.firstIndex(of: key), after.keys.firstIndex(of: key))
            if !own.isEmpty { block(.update(shown, own)) }
        }
    }
}
