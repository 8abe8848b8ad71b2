using System.Runtime.CompilerServices;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// Count, sum and order of some items. The producer takes in what it is about to send, before any contestant has seen
/// it, the last stage what it got: the two must be equal.
/// </summary>
internal record struct Tally
{
    private const long Factor = Body.Stride + 1;

    /// <summary>Items taken in.</summary>
    public long Count { get; private set; }

    /// <summary>Their sum, modulo 2⁶⁴.</summary>
    public long Sum { get; private set; }

    /// <summary>A number that is another one when the same items come in another order.</summary>
    public long Order { get; private set; }

    /// <summary>Takes the next item in.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Take(long item)
    {
        Count++;
        Sum += item;
        Order = unchecked((Order * Factor) + item);
    }
}
