using System.Runtime.CompilerServices;

namespace Raceway.Analysis.SharingStudy;

/// <summary>What a thread does to its cell, again and again.</summary>
/// <remarks>
/// Not one of them waits for another thread: what they cost more beside a neighbour is what the neighbour's line costs them.
/// </remarks>
internal abstract class CellOperation(string name, string does)
{
    /// <summary>Volatile stores of rising numbers.</summary>
    public static CellOperation Store { get; } = new Stores();

    /// <summary>A volatile load, one more, a volatile store: the counter that all threads write.</summary>
    public static CellOperation Increment { get; } = new Increments();

    /// <summary>Atomic increments.</summary>
    public static CellOperation Locked { get; } = new LockedIncrements();

    /// <summary>Volatile loads, while the neighbour stores.</summary>
    public static CellOperation Read { get; } = new Reads();

    /// <summary>All of them.</summary>
    public static IReadOnlyList<CellOperation> All { get; } = [Store, Increment, Locked, Read];

    /// <summary>Its name in cases and knobs.</summary>
    public string Name { get; } = name;

    /// <summary>What it does, in a few words.</summary>
    public string Does { get; } = does;

    /// <summary>What the thread beside it does.</summary>
    public virtual CellOperation Neighbour => this;

    /// <summary>What the cell holds before the first operation.</summary>
    public virtual long Initial => 0;

    /// <summary>Does some operations on a cell.</summary>
    public abstract void Run(ref long cell, int count, ref CellTally tally);

    /// <summary>Whether a cell of one's own holds what one has left there.</summary>
    public virtual bool IsRight(long value, in CellTally own) => value == own.Done;

    /// <summary>Whether a cell holds what two threads may have left there after both worked on it.</summary>
    /// <param name="value">What it holds.</param>
    /// <param name="own">What the thread with this operation did.</param>
    /// <param name="neighbour">What the thread with the operation of <see cref="Neighbour"/> did.</param>
    public abstract bool IsRightTogether(long value, in CellTally own, in CellTally neighbour);

    private sealed class Stores() : CellOperation("store", "volatile stores: the store buffer takes them")
    {
        [MethodImpl(MethodImplOptions.AggressiveOptimization)]
        public override void Run(ref long cell, int count, ref CellTally tally)
        {
            long value = tally.Done;
            for (int i = 0; i < count; i++) Volatile.Write(ref cell, ++value);
            tally.Done = value;
        }

        public override bool IsRightTogether(long value, in CellTally own, in CellTally neighbour) =>
            value == own.Done || value == neighbour.Done;
    }

    private sealed class Increments() : CellOperation("increment", "load, add, store without a lock, each in its own cell")
    {
        [MethodImpl(MethodImplOptions.AggressiveOptimization)]
        public override void Run(ref long cell, int count, ref CellTally tally)
        {
            for (int i = 0; i < count; i++) Volatile.Write(ref cell, Volatile.Read(ref cell) + 1);
            tally.Done += count;
        }

        // In one word they overwrite each other: what is lost is no fault of the layout.
        public override bool IsRightTogether(long value, in CellTally own, in CellTally neighbour) =>
            value >= 1 && value <= own.Done + neighbour.Done;
    }

    private sealed class LockedIncrements() : CellOperation("locked", "atomic increments: each waits for the line")
    {
        [MethodImpl(MethodImplOptions.AggressiveOptimization)]
        public override void Run(ref long cell, int count, ref CellTally tally)
        {
            for (int i = 0; i < count; i++) Interlocked.Increment(ref cell);
            tally.Done += count;
        }

        public override bool IsRightTogether(long value, in CellTally own, in CellTally neighbour) =>
            value == own.Done + neighbour.Done;
    }

    private sealed class Reads() : CellOperation("read", "loads of a cell that no thread writes, beside one that is stored to")
    {
        public override CellOperation Neighbour => Store;

        // Not zero, so that the last load shows that it loaded this cell.
        public override long Initial => 1;

        [MethodImpl(MethodImplOptions.AggressiveOptimization)]
        public override void Run(ref long cell, int count, ref CellTally tally)
        {
            long last = tally.Last;
            bool fell = false;
            for (int i = 0; i < count; i++)
            {
                long value = Volatile.Read(ref cell);
                fell |= value < last;
                last = value;
            }

            tally.Last = last;
            tally.Fell |= fell;
            tally.Done += count;
        }

        public override bool IsRight(long value, in CellTally own) => value == Initial && own.Last == Initial && !own.Fell;

        public override bool IsRightTogether(long value, in CellTally own, in CellTally neighbour) =>
            value == Math.Max(Initial, neighbour.Done) && own.Last <= value && !own.Fell;
    }
}

/// <summary>What a thread has done to its cell.</summary>
internal struct CellTally
{
    /// <summary>Operations.</summary>
    public long Done;

    /// <summary>The number loaded last.</summary>
    public long Last;

    /// <summary>Whether a number was loaded that is smaller than the one before: they only rise.</summary>
    public bool Fell;
}
