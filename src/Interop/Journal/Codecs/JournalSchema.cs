using System.Globalization;

namespace Raceway.Interop.Journal;

/// <summary>What the items of a segment are: a fingerprint of their form, and a version that the codec's author counts.</summary>
/// <param name="Fingerprint">Differs if the form differs.</param>
/// <param name="Version">Raised by hand if the meaning changes.</param>
public readonly record struct JournalSchema(ulong Fingerprint, int Version)
{
    /// <summary>Both, in a few characters.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Fingerprint:x16}/{Version}");
}
