using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Raceway.Rings;

/// <summary>A typed column of slots: one value of <typeparamref name="T"/> for each place of the ring.</summary>
/// <remarks>
/// <para><b>Threads</b>: a slot belongs to the producer from claim to publish, and to the stages, in their order, from
/// publish until the last gating stage has passed it. The indexer checks nothing: keep to sequences you hold.</para>
/// <para><b>Order</b>: visibility comes with the sequence, not with the slot.</para>
/// <para><b>Cost</b>: one masked index; no bounds or covariance check. The items of a sharded ring lie in lanes, where the
/// indexer has to look its place up; stages do that once a batch.</para>
/// Several columns may hang on one sequence: a stage that changes the type writes its result at the same sequence of its
/// own column, without a copy or a second ring.
/// </remarks>
/// <typeparam name="T">Class, struct or unmanaged type; reached by reference.</typeparam>
/// <example>
/// <code>
/// Slots&lt;Order> slots = ring.Slots;
/// Slots&lt;decimal> prices = ring.AddColumn&lt;decimal>();  // at the same sequences
/// slots.Subscribe((ref Order order) => accounts.Book(order));
/// </code>
/// </example>
public sealed class Slots<T>
{
    private readonly nint _origin;
    private readonly T[] _items;
    private readonly int _mask;
    private readonly int _shift;
    private readonly LaneSlots<T>? _lanes;
    private readonly Lanes? _order;
    private readonly bool _reused;

    internal Slots(Ring ring, SlotMemory<T> memory, int capacity, Func<T>? create)
    {
        Ring = ring;
        Capacity = capacity;
        (_items, _origin, _shift, _mask) = (memory.Items, memory.Origin, memory.Shift, capacity - 1);
        // A further column of a sharded ring has no lanes, but its handler may have the items beside it.
        _order = (ring.Claims as ShardedClaims)?.Lanes;
        if (create is null) return;
        _reused = true;
        for (int i = 0; i < capacity; i++) this[i] = create();
    }

    // The items of a sharded ring.
    private Slots(Ring ring, Lanes order, Slots<T>[] lanes)
    {
        Ring = ring;
        Capacity = lanes.Sum(static lane => lane.Capacity);
        (_lanes, _order) = (new LaneSlots<T>(order, lanes), order);
        // Loops over a lane's slots take the distance from here.
        (_items, _shift, _reused) = ([], lanes[0]._shift, lanes[0]._reused);
    }

    /// <summary>The items of a ring, in as many columns as its producers write to.</summary>
    internal static Slots<T> Of(Ring ring, SlotMemory<T>[] memory, int capacity, Func<T>? create)
    {
        Slots<T>[] columns = [.. memory.Select(one => new Slots<T>(ring, one, capacity, create))];
        return columns[0]._order is { } order ? new Slots<T>(ring, order, columns) : columns[0];
    }

    /// <summary>The ring with the sequences that address it.</summary>
    public Ring Ring { get; }

    /// <summary>Number of slots.</summary>
    public int Capacity { get; }

    /// <summary>What its items weigh, where the column knows: by their payloads.</summary>
    internal ItemWeight<T>? Weigh { get; set; }

    /// <summary>The slot of <paramref name="sequence"/>.</summary>
    public ref T this[long sequence]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            if (_lanes is not null) return ref _lanes.At(sequence);
            return ref Own(sequence);
        }
    }

    /// <summary>The same in a column without lanes, as a producer has: nothing is looked up.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref T Own(long sequence) => ref Unsafe.Add(ref Origin, (nint)(sequence & _mask) << _shift);

    /// <summary>Whether each slot has an object of its own, which an item stored over it would replace.</summary>
    internal bool OwnsObjects => _reused && RuntimeHelpers.IsReferenceOrContainsReferences<T>();

    /// <summary>Forgets the item of <paramref name="sequence"/>, unless its object is reused.</summary>
    internal void Reset(long sequence)
    {
        if (!_reused) this[sequence] = default!;
    }

    /// <summary>The slots of a lane, in its own sequences.</summary>
    internal Slots<T> OfLane(int lane) => _lanes?[lane] ?? this;

    /// <summary>The first slot; with <see cref="Mask"/> and <see cref="Shift"/> it lets a loop keep them in registers.</summary>
    internal ref T Origin
    {
        // SAFETY: _origin is inside _items for every capacity; SlotsTests walks all slots of all kinds.
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref Unsafe.AddByteOffset(ref MemoryMarshal.GetArrayDataReference(_items), _origin);
    }

    internal long Mask => _mask;

    /// <summary>Binary logarithm of the distance of two slots, in items.</summary>
    internal int Shift => _shift;

    /// <summary>The distance of two slots, in items.</summary>
    internal int Step => 1 << _shift;

    /// <summary>Whether a batch may have to end before the slots do, see <see cref="Left"/>.</summary>
    internal bool IsCut => _order is not null;

    /// <summary>How many slots from <paramref name="sequence"/> on are of one lane: no batch is longer than that.</summary>
    /// <param name="sequence">A sequence that is readable.</param>
    /// <param name="run">Where the reader stood before, see <see cref="Lanes.Find"/>.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int Left(long sequence, ref long run) => _order is null ? int.MaxValue : _order.Left(sequence, ref run);

    /// <summary>The first of up to <paramref name="count"/> slots, and how many of them follow each other in memory.</summary>
    /// <inheritdoc cref="Left"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref T Run(long sequence, int count, ref long run, out int length)
    {
        if (_lanes is not null) return ref _lanes.Find(ref sequence, ref run).Run(sequence, count, ref run, out length);
        int index = (int)sequence & _mask;
        length = Math.Min(count, _mask + 1 - index);
        return ref Unsafe.Add(ref Origin, (nint)index << _shift);
    }

    /// <summary>The run of <paramref name="count"/> slots from <paramref name="first"/>, in two pieces where it wraps.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Batch<T> View(long first, int count, Stage? stage)
    {
        if (_lanes is not null) return _lanes.View(first, count, stage);
        return ViewAs(first, first, count, stage);
    }

    /// <summary>The same for slots that the stage knows by another sequence.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Batch<T> ViewAs(long named, long first, int count, Stage? stage)
    {
        Debug.Assert(count >= 0 && count <= Capacity, "A batch has each slot once.");
        int index = (int)first & _mask;
        int straight = Math.Min(count, _mask + 1 - index);
        return new Batch<T>(
            ref Unsafe.Add(ref Origin, (nint)index << _shift), straight, ref Origin, count - straight, _shift, named, stage);
    }
}
