using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>A single producer with its state in registers, for a loop. See <see cref="SingleProducer{T}.Open"/>.</summary>
/// <remarks>
/// <para>A slot that is claimed and not committed is claimed again by the next <see cref="Claim"/>: giving up is doing
/// nothing.</para>
/// <para>What changes in the loop is not read by <see cref="Dispose"/>: a <c>using</c> calls it from a finally block, and
/// locals that live into one are kept in memory instead of registers.</para>
/// <para><b>Blocking</b> and <b>Errors</b>: as <see cref="Producer{T}.Publish(in T)"/>.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
public unsafe ref struct OpenProducer<T> : IDisposable
{
    private readonly ref T _origin;
    private readonly nint _mask;
    private readonly int _shift;
    private readonly long* _cursor;
    private readonly long* _waiters;
    private readonly long* _claimed;
    private readonly long* _control;
    private SingleProducer<T>? _producer;
    private long _next;
    private long _claim;
    private long _limit;

    // SAFETY: the cells are pinned, and the producer keeps their memory.
    internal OpenProducer(
        SingleProducer<T> producer, long next, long limit, long* cursor, long* waiters, long* claimed, long* control)
    {
        _producer = producer;
        Slots<T> slots = producer.LaneSlots;
        _origin = ref slots.Origin;
        _mask = (nint)slots.Mask;
        _shift = slots.Shift;
        _cursor = cursor;
        _waiters = waiters;
        _claimed = claimed;
        _control = control;
        _next = next;
        _claim = next - 1;
        _limit = limit;
    }

    /// <summary>The next slot, to be written and committed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref T Claim()
    {
        long next = _next;
        // ORDER: announce, then look; pairs with the process-wide barrier of Ring.Complete.
        Volatile.Write(ref *_claimed, next);
        if (next > _limit || (Volatile.Read(ref *_control) & Control.Closed) != 0) _limit = Producer.MakeRoom(next);
        _claim = next;
        return ref Unsafe.Add(ref _origin, ((nint)next & _mask) << _shift);
    }

    /// <summary>Publishes the claimed slot. Without a claim before it, it does nothing.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Commit()
    {
        long claim = _claim;
        _next = claim + 1;
        // ORDER: release; pairs with ReadAcquire by the stages.
        Volatile.Write(ref *_cursor, claim);
        // ORDER: a load after a store; pairs with the barrier in Progress.Arm.
        if (Volatile.Read(ref *_waiters) != 0) Producer.Signal(claim);
    }

    /// <summary>Copies <paramref name="item"/> into the next slot and publishes it: the fastest way, see remarks.</summary>
    /// <remarks>
    /// Two stores an item, the item and the cursor. No other code runs between claim and commit, so the claim is not
    /// announced; see <see cref="SingleProducer{T}"/>.
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Publish(in T item)
    {
        long next = _next;
        if (next > _limit || (Volatile.Read(ref *_control) & Control.Closed) != 0) _limit = Producer.MakeRoom(next);
        Unsafe.Add(ref _origin, ((nint)next & _mask) << _shift) = item;
        _claim = next;
        Commit();
    }

    /// <summary>Gives the producer back to its handle.</summary>
    public void Dispose()
    {
        if (_producer is not { } producer) return;
        _producer = null;
        producer.Close();
    }

    private readonly SingleProducer<T> Producer => _producer!;
}
