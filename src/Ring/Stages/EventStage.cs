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
    // How many items may pass between two looks at whether the ring has been halted.
    private const int HaltInterval = 64;

    private THandler _handler = handler;

    private protected override object Handler
    {
        get => _handler;
        set => _handler = (THandler)value;
    }

    private protected override bool Invoke(long first, int count, Dispatch dispatch)
    {
        FaultIsExact = true;
        CallEnd = first + count;
        THandler handler = _handler;
        try
        {
            if (dispatch.Level == DispatchLevel.Single) RunSingle(ref handler, first, count);
            else RunEach(ref handler, first, count, dispatch.ProgressInterval == 0 ? count : dispatch.ProgressInterval);
            return true;
        }
        finally
        {
            _handler = handler;
        }
    }

    private void RunSingle(ref THandler handler, long first, int count)
    {
        Control control = Owner.Control;
        while (count > 0)
        {
            Span<T> run = Column.Run(first, count);
            for (int i = 0; i < run.Length; i++)
            {
                handler.OnEvent(ref run[i], first + i, endOfBatch: true);
                Reached = first + i + 1;
                Done.Advance(first + i);
                if (control.IsHalted) return;
            }

            first += run.Length;
            count -= run.Length;
        }
    }

    private void RunEach(ref THandler handler, long first, int count, int interval)
    {
        Control control = Owner.Control;
        long last = first + count - 1;
        int unreported = 0;
        while (first <= last)
        {
            int most = (int)Math.Min(last - first + 1, Math.Min(interval - unreported, HaltInterval));
            Span<T> run = Column.Run(first, most);
            for (int i = 0; i < run.Length; i++)
            {
                handler.OnEvent(ref run[i], first + i, first + i == last);
                Reached = first + i + 1;
            }

            first += run.Length;
            unreported += run.Length;
            bool halted = control.IsHalted;
            if (unreported < interval && first <= last && !halted) continue;
            Done.Advance(first - 1);
            unreported = 0;
            if (halted) return;
        }
    }
}
