using System.Collections.Immutable;
using System.Diagnostics.Metrics;

namespace Raceway.Metering;

/// <summary>The objects that a set of instruments tells of.</summary>
/// <remarks><b>Threads</b>: any. An instrument that is being read says what was there when it began.</remarks>
/// <typeparam name="T">What has figures.</typeparam>
internal sealed class Metered<T>
    where T : class
{
    private ImmutableArray<T> _all = [];

    /// <summary>From now on its figures are told.</summary>
    public void Add(T one) => ImmutableInterlocked.Update(ref _all, static (all, added) => all.Add(added), one);

    /// <summary>They are not told any more. Idempotent.</summary>
    public void Remove(T one) => ImmutableInterlocked.Update(ref _all, static (all, gone) => all.Remove(gone), one);

    /// <summary>What an instrument says: a figure of each.</summary>
    public IEnumerable<Measurement<TValue>> Each<TValue>(Func<T, Measurement<TValue>> figure)
        where TValue : struct =>
        _all.Select(figure);

    /// <summary>What an instrument says: several figures of each.</summary>
    public IEnumerable<Measurement<TValue>> Each<TValue>(Func<T, IEnumerable<Measurement<TValue>>> figures)
        where TValue : struct =>
        _all.SelectMany(figures);
}
