namespace Raceway.Rings;

/// <summary>See <see cref="Wait.BusySpin"/>.</summary>
internal sealed class BusySpinWait() : Wait("busy-spin")
{
    internal override Waiting Create(in WaitContext context) => new Spinning();

    private sealed class Spinning : Waiting
    {
        // The state of the ring is looked at between rounds; the cell at every poll.
        private const int Round = 64;

        protected override bool WaitFor(in WaitTarget target)
        {
            for (int i = 0; i < Round; i++)
            {
                if (target.Cell.IsReached(target.Awaited)) return true;
                Cpu.Pause();
            }

            // With one processor, or more spinners than processors, the thread that we wait for may need ours.
            if (Cpu.IsAlone) Thread.Yield();
            return target.IsOver;
        }
    }
}
