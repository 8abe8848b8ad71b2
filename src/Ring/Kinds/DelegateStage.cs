using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>Calls a delegate for each item.</summary>
/// <remarks>
/// A stage of its own and no handler struct of <see cref="EventStage{T,THandler}"/>: the code of a generic struct is shared
/// by all classes, so that for items that are references each call would go through a dictionary, and the delegate's behind it.
/// </remarks>
internal sealed class DelegateStage<T>(
    Ring ring, Slots<T> column, SlotAction<T> action, StageOptions options, string name)
    : ColumnStage<T>(ring, column, options, name)
{
    internal override object Handler
    {
        get => action;
        set { }
    }

    internal override bool FaultIsExact => true;

    internal override bool CanSplit => true;

    internal override bool Invoke(long first, int count, Dispatch dispatch)
    {
        CallEnd = first + count;
        Run(first, count, Math.Min(count, dispatch.ReportInterval));
        return true;
    }

    private void Run(long first, int count, int interval)
    {
        SlotAction<T> call = action;
        Control control = Owner.Control;
        nint step = Column.Step;
        int unreported = 0;
        while (count > 0)
        {
            int most = Math.Min(count, Math.Min(interval - unreported, HaltInterval));
            ref T item = ref Column.Run(first, most, ref LaneRun, out int length);
            for (long end = first + length; first < end; first++)
            {
                call(ref item);
                item = ref Unsafe.Add(ref item, step);
                Reached = first + 1;
            }

            count -= length;
            unreported += length;
            // What is not reported then is when the step is settled.
            if (count == 0 || control.IsHalted) return;
            if (unreported < interval) continue;
            Done.Advance(first - 1);
            unreported = 0;
        }
    }
}
