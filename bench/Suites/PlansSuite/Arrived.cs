using System.Runtime.CompilerServices;

namespace Raceway.Suites.PlansSuite;

/// <summary>How many items the last stage has had: written by it, polled by the producer, on lines of its own.</summary>
internal sealed class Arrived
{
    private Lines _lines;

    /// <summary>Items that have arrived so far.</summary>
    public long Count => Volatile.Read(ref _lines[Middle]);

    private const int Middle = 16;

    /// <summary>More have arrived; what they brought was written before. By the last stage alone.</summary>
    // ORDER: pairs with the producer's read of Count, after which it reads what the last stage has summed up.
    public void Add(long items) => Volatile.Write(ref _lines[Middle], _lines[Middle] + items);

    [InlineArray(2 * Middle)]
    private struct Lines
    {
        private long _first;
    }
}
