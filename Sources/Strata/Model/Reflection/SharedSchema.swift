// SPDX-License-Identifier: MIT
// SharedSchema.swift -- what a class looks like to every realm that holds it.

extension ObjectBase {
    /// What the class looks like to a realm, without opening one; nil for ``Object``, ``EmbeddedObject`` and
    /// ``DynamicObject``, which declare nothing. May be called from every thread.
    public final class func sharedSchema() -> ObjectSchema? {
        self == ObjectBase.self || isOfTheLibrary ? nil : ClassLayout.of(self).schema
    }
}
