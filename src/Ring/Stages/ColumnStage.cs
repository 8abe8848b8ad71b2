using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>A stage over a typed column.</summary>
internal abstract class ColumnStage<T>(Ring ring, Slots<T> column, StageOptions options, string name)
    : Stage(ring, options, name)
{
    /// <summary>How many items of a handler of single ones may pass between two looks at whether the ring has been halted.</summary>
    private protected const int HaltInterval = 64;

    private readonly ItemWeight<T>? _weigh = column.WeigherOf(options);

    public Slots<T> Column { get; } = column;

    internal override int SlotBytes => Unsafe.SizeOf<T>() << Column.Shift;

    private protected override bool CanWeigh => _weigh is not null;

    private protected override int MostFrom(long sequence, long within, Dispatch dispatch) =>
        dispatch.HasMaxWeight ? MostByWeight(sequence, within, dispatch) : Column.Left(sequence, ref Segment);

    private protected override FaultAction Decide(Delegate decider, long sequence, in FaultContext context) =>
        ((FaultDecider<T>)decider)(ref Column[sequence], context);

    private protected override void DeadLetter(Delegate sink, long sequence, in FaultContext context) =>
        ((DeadLetterAction<T>)sink)(ref Column[sequence], context);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int MostByWeight(long sequence, long within, Dispatch dispatch)
    {
        int left = Column.Left(sequence, ref Segment);
        int most = (int)Math.Min(within, Math.Min(left, dispatch.MaxIn(Owner.Capacity)));
        int count = 0;
        long total = 0;
        object? outer = Reentrancy.Enter(Owner.Family);
        try
        {
            for (; count < most; count++)
            {
                long weight = _weigh!(in Column[sequence + count]);
                if (weight < 0) throw Throw.Weight(Name, sequence + count, weight);
                // Also where the first alone is above the limit: then nothing fits beside it.
                if (count > 0 && weight > dispatch.MaxWeight - total) break;
                total += weight;
            }
        }
        catch (Exception fault)
        {
            // Those before it are handled first; where it is the first, it is that item's fault.
            if (count == 0) Unweighed = fault;
        }
        finally
        {
            Reentrancy.Exit(outer);
        }

        bool cut = count < most;
        CutAt = cut ? sequence + count : -1;
        return cut ? count : left;
    }
}
