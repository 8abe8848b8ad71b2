using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>Slots that a producer owns, until it commits or aborts them.</summary>
/// <remarks>
/// <para>Use it with <c>using</c>: leaving without <see cref="Commit()"/>, by exception too, aborts. Nothing half-written is
/// ever seen.</para>
/// <para><b>Copies</b>: C# copies a ref struct (<c>using (claim)</c> on a variable, a parameter by value). All copies are the
/// same claim, and it ends once: a second <see cref="Commit()"/> or <see cref="Abort"/> throws, by whichever copy and
/// however much later. <see cref="Dispose"/> of a claim that has ended does nothing. Do not write to its slots after its
/// end: they belong to the stages.</para>
/// <para><b>Classes</b>: without <see cref="RingOptions{T}.CreateSlot"/> a slot of a class holds null, or what was published
/// there a lap before. Assign an object to <see cref="Slot"/>, or set CreateSlot and fill the slot's own object.</para>
/// <para><b>Cost</b>: a few registers; nothing is allocated.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// using Claim&lt;Order> claim = producer.Claim(2);
/// claim[0] = new Order { Id = 1 };
/// claim[1] = new Order { Id = 2 };
/// claim.Commit();  // both become visible together
/// </code>
/// </example>
public ref struct Claim<T> : IDisposable
{
    private readonly Batch<T> _slots;
    private readonly long _number;
    private Claimer? _claimer; // null: this copy has ended it, or there was no claim

    internal Claim(Claimer claimer, long number, Batch<T> slots)
    {
        _claimer = claimer;
        _number = number;
        _slots = slots;
    }

    /// <summary>The first sequence claimed; the others follow without a gap.</summary>
    public readonly long Sequence => _slots.Sequence;

    /// <summary>Slots claimed.</summary>
    public readonly int Count => _slots.Count;

    /// <summary>The only, or first, slot.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Nothing is claimed: a try call did not say <see cref="ClaimStatus.Done"/>.</exception>
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
    /// <exception cref="InvalidOperationException">Committed or aborted before, by this copy or another one.</exception>
    /// <exception cref="RingStoppedException">The ring has stopped meanwhile: no stage will handle them.</exception>
    public void Commit() => Commit(Count);

    /// <summary>Publishes the first <paramref name="count"/> of them, and gives the rest up.</summary>
    /// <inheritdoc cref="Commit()"/>
    public void Commit(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, Count);
        if (!TryEnd(count)) throw ClaimErrors.ClaimSettled();
    }

    /// <summary>Gives all of them up: no stage is called for them.</summary>
    /// <exception cref="InvalidOperationException">Committed or aborted before, by this copy or another one.</exception>
    public void Abort()
    {
        if (!TryEnd(0)) throw ClaimErrors.ClaimSettled();
    }

    /// <summary>Aborts, if neither was done by any copy.</summary>
    public void Dispose()
    {
        // Whether it had ended before is of no interest here.
        if (_claimer is not null) _ = TryEnd(0);
    }

    private bool TryEnd(int published)
    {
        Claimer? claimer = _claimer;
        _claimer = null;
        return claimer is not null && claimer.TryEnd(_number, Sequence, Count, published);
    }
}
