using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>Calls an event handler for each item.</summary>
/// <remarks>
/// The handler is a type parameter, so that a struct's call is direct and inlined, and is kept in a local for the batch:
/// state in a heap field costs a store-to-load round trip an event. It is written back in finally.
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
        ref T origin = ref Column.Origin;
        nint mask = (nint)Column.Mask;
        Progress done = Done;
        Control control = Owner.Control;
        long end = first + count;
        long sequence = first;
        try
        {
            if (dispatch.Level == DispatchLevel.Single)
            {
                while (sequence < end)
                {
                    handler.OnEvent(ref Unsafe.Add(ref origin, (nint)sequence & mask), sequence, endOfBatch: true);
                    done.Advance(sequence++);
                    if (control.IsHalted) break;
                }

                return true;
            }

            int interval = dispatch.ProgressInterval == 0 ? int.MaxValue : dispatch.ProgressInterval;
            long reported = first;
            while (sequence < end)
            {
                long stop = Math.Min(end, sequence + Math.Min(interval - (sequence - reported), HaltInterval));
                for (; sequence < stop; sequence++)
                    handler.OnEvent(
                        ref Unsafe.Add(ref origin, (nint)sequence & mask), sequence, sequence == end - 1);

                if (sequence - reported >= interval || sequence == end || control.IsHalted)
                {
                    done.Advance(sequence - 1);
                    reported = sequence;
                    if (control.IsHalted) break;
                }
            }

            return true;
        }
        finally
        {
            _handler = handler;
            Reached = sequence;
        }
    }
}
