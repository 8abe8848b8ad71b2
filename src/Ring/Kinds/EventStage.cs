using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>Calls an event handler for each item.</summary>
/// <remarks>
/// <para>The handler is a type parameter, so that a struct's call is direct and inlined, and is kept in a local for the
/// batch: state in a heap field costs a store-to-load round trip an event. It is written back in finally.</para>
/// <para>What finally reads lives in memory: so it reads the handler alone. How far the loop has come is stored as it goes
/// (<see cref="Stage.Reached"/>), and its own counters stay in registers.</para>
/// </remarks>
internal sealed class EventStage<T, THandler>(
    Ring ring, Slots<T> column, THandler handler, StageOptions options, string name)
    : ColumnStage<T>(ring, column, options, name)
    where THandler : IEventHandler<T>
{
    private THandler _handler = handler;

    internal override object Handler
    {
        get => IWrapper.Unwrap(_handler);
        set => _handler = (THandler)IWrapper.Rewrap(_handler, value);
    }

    internal override bool FaultIsExact => true;

    internal override bool CanSplit => true;

    internal override bool Invoke(long first, int count, Dispatch dispatch)
    {
        CallEnd = first + count;
        THandler handler = _handler;
        try
        {
            if (dispatch.ItemsAreBatches) RunSingle(ref handler, first, count);
            else RunEach(ref handler, first, count, Math.Min(count, dispatch.ReportInterval));
            return true;
        }
        finally
        {
            _handler = handler;
        }
    }

    // Progress.Advance with its addresses in registers: here it is called for every item.
    private unsafe void RunSingle(ref THandler handler, long first, int count)
    {
        long* control = Owner.Control.Cell;
        long* done = Done.ValueCell;
        long* waiters = Done.NearestCell;
        nint step = Column.Step;
        long last = first + count - 1;
        while (count > 0)
        {
            ref T item = ref Column.Run(first, count, ref LaneRun, out int length);
            count -= length;
            for (long end = first + length; first < end; first++)
            {
                handler.OnEvent(ref item, first, endOfBatch: true);
                item = ref Unsafe.Add(ref item, step);
                Reached = first + 1;
                // The last one is reported when the step is settled.
                if (first == last) return;
                // ORDER: as in Progress.Advance.
                Volatile.Write(ref *done, first);
                if (Volatile.Read(ref *waiters) != 0) Done.Signal(long.MinValue, first);
                if ((Volatile.Read(ref *control) & Control.Halted) != 0) return;
            }
        }
    }

    // Inlined, so that the handler is a local there and no reference: on the stack its state is forwarded for less.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void RunEach(ref THandler handler, long first, int count, int interval)
    {
        Control control = Owner.Control;
        long last = first + count - 1;
        nint step = Column.Step;
        int unreported = 0;
        while (first <= last)
        {
            int most = (int)Math.Min(last - first + 1, Math.Min(interval - unreported, HaltInterval));
            ref T item = ref Column.Run(first, most, ref LaneRun, out int length);
            for (long end = first + length; first < end; first++)
            {
                handler.OnEvent(ref item, first, first == last);
                item = ref Unsafe.Add(ref item, step);
                Reached = first + 1;
            }

            unreported += length;
            // What is not reported then is when the step is settled.
            if (first > last || control.IsHalted) return;
            if (unreported < interval) continue;
            Done.Advance(first - 1);
            unreported = 0;
        }
    }
}
