using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;

namespace Raceway.Rings;

/// <summary>The payload buffers of a ring, one for each slot, on the same sequences as the items.</summary>
/// <remarks>
/// Kept apart from the items, so that overwriting an item cannot lose a buffer. A buffer stays with its slot from lap to
/// lap where it is short enough: renting on one thread and returning on another costs more than filling it.
/// </remarks>
internal sealed class PayloadColumn<T> : ISweepable
{
    private readonly Slots<T> _slots;
    private readonly PayloadAccessor<T> _accessor;
    private readonly PayloadOptions _options;
    private readonly PayloadEntries _entries;

    public PayloadColumn(Slots<T> slots, PayloadAccessor<T> accessor, PayloadOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentOutOfRangeException.ThrowIfLessThan(options.MaxLength, 1, nameof(options.MaxLength));
        ArgumentOutOfRangeException.ThrowIfNegative(options.KeepLength, nameof(options.KeepLength));
        ArgumentNullException.ThrowIfNull(options.Pool, nameof(options.Pool));
        _slots = slots;
        _accessor = accessor;
        _options = options;
        _entries = new PayloadEntries(slots.Capacity, slots.Ring.Sequencer, options);
    }

    /// <summary>The longest payload.</summary>
    public int MaxLength => _options.MaxLength;

    /// <summary>Puts an empty payload into each claimed slot.</summary>
    public void Lend(long first, int count)
    {
        for (long sequence = first; sequence < first + count; sequence++)
        {
            _entries[sequence].Lend(sequence);
            _accessor(ref _slots[sequence]) = new Payload(_entries, sequence);
        }
    }

    public void CheckLength(int length)
    {
        if (length > MaxLength) throw PayloadErrors.Payload(length, MaxLength);
    }

    /// <summary>What an item weighs that nothing else is said of.</summary>
    public long Weigh(ref readonly T slot) => _accessor(ref Unsafe.AsRef(in slot)).Length;

    /// <summary>Writes the payload of a claimed slot.</summary>
    public void Fill(ref T slot, ReadOnlySpan<byte> bytes) => _accessor(ref slot).Write(bytes);

    public void Sweep(long first, long last)
    {
        for (long sequence = first; sequence <= last; sequence++) _entries[sequence].Recall();
        // ORDER: full; pairs with the mark and the share of a Retain, which then looks whether its payload is still lent.
        Interlocked.MemoryBarrier();
        for (long sequence = first; sequence <= last; sequence++) _entries[sequence].Reclaim(_options);
    }

    /// <summary>Gives every buffer back, but those of open claims, which are being written: their end does.</summary>
    /// <param name="published">The last sequence that is swept.</param>
    /// <param name="claimed">The last claimed.</param>
    /// <param name="behindHoles">What is swept behind a claim that is still open; ascending.</param>
    public void ReleaseAll(long published, long claimed, ReadOnlySpan<long> behindHoles)
    {
        Exception? first = null;
        // By sequence: a claim may be open and not be lent its buffers yet, or given up behind one that is open.
        for (long sequence = published + 1; sequence <= published + _entries.Count; sequence++)
        {
            bool ended = sequence > claimed
                || _slots.Ring.Sequencer.IsTombstone(sequence)
                || behindHoles.BinarySearch(sequence) >= 0;
            if (!ended) continue;
            try
            {
                Release(sequence);
            }
            catch (Exception fault)
            {
                // The pool has failed with this one; the others go back all the same.
                first ??= fault;
            }
        }

        if (first is not null) ExceptionDispatchInfo.Throw(first);
    }

    /// <summary>Gives the buffer of one sequence back, after its ring has ended.</summary>
    public void Release(long sequence) => _entries[sequence].Release();
}
