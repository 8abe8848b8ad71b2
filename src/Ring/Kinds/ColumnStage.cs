using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>A stage over a typed column.</summary>
internal abstract class ColumnStage<T>(
    Ring ring, Slots<T> column, StageOptions options, string name, bool oneCallAStep = false)
    : Stage(ring, options, name, column.IsCut, oneCallAStep)
{
    /// <summary>How many items of a handler of single ones may pass between two looks at whether the ring has been halted.</summary>
    private protected const int HaltInterval = 64;

    private readonly ItemWeight<T>? _weigh = column.WeigherOf(options);

    public Slots<T> Column { get; } = column;

    internal override int SlotBytes => Unsafe.SizeOf<T>() << Column.Shift;

    internal override bool Settles => State.Settles;

    private protected override bool CanWeigh => _weigh is not null;

    private protected override int MostFrom(
        long sequence, long within, Dispatch dispatch, out bool byWeight, out Exception? unweighed)
    {
        byWeight = false;
        unweighed = null;
        int left = Column.Left(sequence, ref LaneRun);
        if (!dispatch.HasMaxWeight) return left;
        int count = CountByWeight(sequence, Math.Min(within, left), dispatch, out byWeight, out unweighed);
        return byWeight ? count : left;
    }

    internal override FaultAction Decide(Delegate decider, long sequence, in FaultContext context) =>
        ((FaultDecider<T>)decider)(ref Column[sequence], context);

    internal override void DeadLetter(Delegate sink, long sequence, in FaultContext context) =>
        ((DeadLetterAction<T>)sink)(ref Column[sequence], context);

    // How many of the next items weigh no more than the limit together; one at least, unless that cannot be weighed.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int CountByWeight(long sequence, long within, Dispatch dispatch, out bool byWeight, out Exception? unweighed)
    {
        int most = (int)Math.Min(within, MostOf(dispatch));
        int count = 0;
        long total = 0;
        unweighed = null;
        object? outer = Reentrancy.Enter(Owner.Family);
        try
        {
            for (; count < most; count++)
            {
                long weight = _weigh!(in Column[sequence + count]);
                if (weight < 0) throw StageErrors.Weight(Name, sequence + count, weight);
                // Also if the first alone is above the limit: then nothing fits beside it.
                if (count > 0 && weight > dispatch.MaxWeight - total) break;
                total += weight;
            }
        }
        catch (Exception fault)
        {
            // Those before it are handled first; if it is the first, it is that item's fault.
            if (count == 0) unweighed = fault;
        }
        finally
        {
            Reentrancy.Exit(outer);
        }

        byWeight = count < most;
        return count;
    }
}
