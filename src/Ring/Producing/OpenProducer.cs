using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>A single producer with its state in registers, for a loop. See <see cref="SingleProducer{T}.Open"/>.</summary>
/// <remarks>
/// <para>Do not copy it (pass it by <c>ref</c>): the state is in the copy. A copy that was left behind throws
/// <see cref="InvalidOperationException"/> from <see cref="Claim()"/>, <see cref="Publish"/> and <see cref="Commit()"/>, instead
/// of publishing over what another one has published.</para>
/// <para>A slot that is claimed and not committed is claimed again by the next <see cref="Claim()"/>: giving up is doing
/// nothing.</para>
/// <para>What changes in the loop is not read by <see cref="Dispose"/>: a <c>using</c> calls it from a finally block, and
/// locals that live into one are kept in memory instead of registers.</para>
/// <para><b>The loop</b> should stand in a method of its own that the compiler does not inline
/// (<see cref="MethodImplOptions.NoInlining"/>). A larger method has too few registers for its own variables and the loop's. The compiler
/// then keeps some of them on the stack and stores them with each item. Stores are what bounds such a loop: with two more an item, it did
/// half as many items where the cores share no cache (decision 0031).</para>
/// <para>On a ring with payloads it is lent buffers for up to 32 slots ahead, so <see cref="RingOptions{T}.Payload"/> is also
/// called for slots that are not claimed yet.</para>
/// <para><b>Blocking</b> and <b>Errors</b>: as <see cref="Producer{T}.Publish(in T)"/>. Once disposed it refuses claims, publishes
/// and commits.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// using OpenProducer&lt;Order> open = producer.Open();
/// foreach (Order order in orders)
/// {
///     ref Order slot = ref open.Claim();
///     slot = order;
///     open.Commit();
/// }
/// </code>
/// </example>
public unsafe ref struct OpenProducer<T> : IDisposable
{
    private readonly ref T _origin;
    private readonly nint _mask;
    private readonly int _shift;
    private readonly long* _cursor;
    private readonly long* _waiters;
    private readonly long* _announced;
    private readonly long* _control;
    private readonly long _number;
    private readonly bool _ownsObjects;
    private SingleProducer<T>? _producer;
    private long _last; // published by it; the cursor stands there
    private long _claimed; // beyond that, where a claim is open
    private long _limit;

    // SAFETY: the cells are pinned, and the producer keeps their memory.
    internal OpenProducer(SingleProducer<T> producer, long number, long next, long limit)
    {
        _producer = producer;
        _number = number;
        Slots<T> slots = producer.Slots;
        _ownsObjects = slots.OwnsObjects;
        _origin = ref slots.Origin;
        _mask = (nint)slots.Mask;
        _shift = slots.Shift;
        Lane lane = producer.Claims.Lane;
        _cursor = lane.Published;
        _waiters = lane.Waiters;
        _announced = lane.Claimed;
        _control = producer.Ring.Control.Cell;
        _last = _claimed = next - 1;
        _limit = limit;
    }

    /// <summary>The next slot, to be written and committed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref T Claim()
    {
        // ORDER: announce, then look; pairs with the process-wide barrier of Ring.Complete.
        Volatile.Write(ref *_announced, _last + 1);
        if (IsUnusual(_last + 1))
        {
            _limit = Producer.MakeRoom(_number, _last + 1, 1, Uncommitted);
            _last = LastByCursor;
        }

        _claimed = _last + 1;
        return ref SlotOf(_claimed);
    }

    /// <summary>The next <paramref name="count"/> slots, to be written and committed together.</summary>
    /// <param name="count">1 to <see cref="Producer{T}.MaxClaim"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">Out of range.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Batch<T> Claim(int count)
    {
        long next = _last + 1;
        long last = next + count - 1;
        // The smallest claim that goes past the limit, so that what is no count is looked at there.
        if (count < 1) last = long.MaxValue;
        // ORDER: announce, then look; pairs with the process-wide barrier of Ring.Complete.
        else Volatile.Write(ref *_announced, last);
        if (IsUnusual(last))
        {
            _limit = Producer.MakeRoom(_number, next, count, Uncommitted);
            _last = LastByCursor;
            next = _last + 1;
            last = _last + count;
        }

        _claimed = last;
        int index = (int)((nint)next & _mask);
        int straight = Math.Min(count, (int)_mask + 1 - index);
        return new Batch<T>(
            ref Unsafe.Add(ref _origin, (nint)index << _shift), straight, ref _origin, count - straight, _shift, next, null);
    }

    /// <summary>Publishes what is claimed. Without a claim before it, it does nothing.</summary>
    /// <exception cref="InvalidOperationException">It is a copy that was left behind.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Commit()
    {
        if (Volatile.Read(ref *_cursor) != _last) throw ProducerErrors.NotCurrent(isOpen: _producer is not null);
        Store(_claimed - _last);
    }

    /// <summary>Publishes the first <paramref name="count"/> of the slots claimed, and gives the others up.</summary>
    /// <exception cref="ArgumentOutOfRangeException">More than are claimed, or fewer than none.</exception>
    public void Commit(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _claimed - _last);
        long first = _last + 1;
        int claimed = (int)(_claimed - _last);
        SingleClaimer claims = Producer.Claims;
        claims.CheckOpen(_number, first);
        _last += count;
        _claimed = _last;
        claims.End(first, claimed, count);
        if (count < claimed) _limit = Producer.ForgetLent();
    }

    /// <summary>Copies <paramref name="item"/> into the next slot and publishes it: the fastest way, see remarks.</summary>
    /// <remarks>
    /// Two stores an item, the item and the cursor. No other code runs between claim and commit, so the claim is not
    /// announced; see <see cref="SingleProducer{T}"/>. Nor is one before it taken back: give up a claim of several first
    /// (<see cref="Commit(int)"/> of none), or a drain waits for it until the next claim.
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Publish(in T item)
    {
        // Only if T has references can a slot have an object of its own: known when this is compiled.
        if (RuntimeHelpers.IsReferenceOrContainsReferences<T>() && _ownsObjects) Producer.RefuseCopies();
        if (IsUnusual(_last + 1))
        {
            _limit = Producer.MakeRoom(_number, _last + 1, 1, Uncommitted);
            _last = LastByCursor;
        }

        SlotOf(_last + 1) = item;
        Store(1);
    }

    /// <summary>Gives the producer back to its handle.</summary>
    public void Dispose()
    {
        if (_producer is not { } producer) return;
        _producer = null;
        // A claim by it all the same announces nothing that counts, comes into the slow path, and is refused there.
        _limit = long.MinValue;
        _last = _claimed = long.MinValue / 2;
        producer.Claims.Close(_number);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Store(long count)
    {
        _last += count;
        _claimed = _last;
        // ORDER: release; pairs with ReadAcquire by the stages.
        Volatile.Write(ref *_cursor, _last);
        // ORDER: a load after a store; pairs with the barrier in Progress.Arm.
        if (Volatile.Read(ref *_waiters) == 0) return;
        _limit = Producer.SignalOpen(_last - count + 1, _last);
        _last = _claimed = LastByCursor;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly ref T SlotOf(long sequence) => ref Unsafe.Add(ref _origin, ((nint)sequence & _mask) << _shift);

    // How many slots a claim has that was not committed, where that matters: where they may have payloads. Without, the loop that
    // publishes need not keep what is claimed.
    private readonly int Uncommitted => RuntimeHelpers.IsReferenceOrContainsReferences<T>() ? (int)(_claimed - _last) : 0;

    // Whether a claim needs more than its slot: room; a payload that is lent anew, where a claim before it was not committed (an item
    // with a payload has references, which is known when this is compiled); the error of a copy that was left behind, or that of
    // a closed ring.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly bool IsUnusual(long wanted) =>
        wanted > _limit
        || (RuntimeHelpers.IsReferenceOrContainsReferences<T>() && _claimed > _last)
        || Volatile.Read(ref *_cursor) != _last
        || (Volatile.Read(ref *_control) & Control.Closed) != 0;

    // What is published, by the cursor. Read again after a rare call: a variable that lives across a call is kept in memory for
    // the whole loop, and then each item waits for the stores of the item before it.
    private readonly long LastByCursor
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref *_cursor);
    }

    // Inlined: a call would take the address of this struct, and a loop would keep its state in memory.
    private readonly SingleProducer<T> Producer
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _producer ?? throw ProducerErrors.NotOpen();
    }
}
