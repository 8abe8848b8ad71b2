using Raceway.Rings;

/// <summary>Looks a hundred times, then sleeps: little processor time, and late by one sleep.</summary>
internal sealed class SleepyWait(TimeSpan sleep) : PolledWait("sleepy")
{
    protected override PolledWaiter CreateWaiter(bool isProducer, int capacity) => new Sleeper(sleep);

    private sealed class Sleeper(TimeSpan sleep) : PolledWaiter
    {
        public override void Wait(WaitView target)
        {
            for (int i = 0; i < 100; i++)
            {
                if (target.IsOver || target.IsDue) return;
                Thread.SpinWait(10);
            }

            Thread.Sleep(sleep);
        }
    }
}
