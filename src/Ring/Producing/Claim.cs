using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>Slots that a producer owns, until it commits or aborts them.</summary>
/// <remarks>
/// <para>Use it with <c>using</c>: leaving without <see cref="Commit()"/>, by exception too, aborts. Nothing half-written is
/// ever seen.</para>
/// <para><b>Cost</b>: a few registers; nothing is allocated.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
public ref struct Claim<T> : IDisposable
{
    private readonly Batch<T> _slots;
    private Producer<T>? _producer;

    internal Claim(Producer<T> producer, Batch<T> slots)
    {
        _producer = producer;
        _slots = slots;
    }

    /// <summary>The first sequence claimed; the others follow without a gap.</summary>
    public readonly long Sequence => _slots.Sequence;

    /// <summary>Slots claimed.</summary>
    public readonly int Count => _slots.Count;

    /// <summary>The only, or first, slot.</summary>
    public readonly ref T Slot => ref _slots[0];

    /// <summary>The slots up to the end of the ring.</summary>
    public readonly Span<T> First => _slots.First;

    /// <summary>The slots after the wrap, where there is one.</summary>
    public readonly Span<T> Second => _slots.Second;

    /// <summary>The slot at <paramref name="index"/>.</summary>
    public readonly ref T this[int index] => ref _slots[index];

    internal readonly void Write(ReadOnlySpan<T> items)
    {
        int at = 0;
        foreach (ref T slot in this) slot = items[at++];
    }

    /// <summary>Walks the slots by reference.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly Batch<T>.Enumerator GetEnumerator() => _slots.GetEnumerator();

    /// <summary>Publishes all of them.</summary>
    /// <exception cref="InvalidOperationException">Committed or aborted before.</exception>
    /// <exception cref="RingStoppedException">The ring has stopped meanwhile: nobody will handle them.</exception>
    public void Commit() => Commit(Count);

    /// <summary>Publishes the first <paramref name="count"/> of them, and gives the rest up.</summary>
    /// <inheritdoc cref="Commit()"/>
    public void Commit(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, Count);
        Take().Settle(Sequence, Count, count);
    }

    /// <summary>Gives all of them up: no stage is called for them.</summary>
    /// <exception cref="InvalidOperationException">Committed or aborted before.</exception>
    public void Abort() => Take().Settle(Sequence, Count, 0);

    /// <summary>Aborts, where neither was done.</summary>
    public void Dispose()
    {
        if (_producer is not null) Abort();
    }

    private Producer<T> Take()
    {
        Producer<T> producer = _producer ?? throw Throw.ClaimSettled();
        _producer = null;
        return producer;
    }
}
