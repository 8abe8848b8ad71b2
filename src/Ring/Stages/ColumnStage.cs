using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>A stage over a typed column.</summary>
internal abstract class ColumnStage<T>(Ring ring, Slots<T> column, StageOptions options, string name)
    : Stage(ring, options, name)
{
    public Slots<T> Column { get; } = column;

    internal override int SlotBytes => Unsafe.SizeOf<T>() << Column.Shift;

    private protected override int MostFrom(long sequence, Dispatch dispatch) => Column.Left(sequence, ref Segment);

    private protected override FaultAction Decide(Delegate decider, long sequence, in FaultContext context) =>
        ((FaultDecider<T>)decider)(ref Column[sequence], context);

    private protected override void DeadLetter(Delegate sink, long sequence, in FaultContext context) =>
        ((DeadLetterAction<T>)sink)(ref Column[sequence], context);
}
