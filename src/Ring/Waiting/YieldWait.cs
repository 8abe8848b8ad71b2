namespace Raceway.Rings;

/// <summary>See <see cref="Wait.Yield"/>.</summary>
internal sealed class YieldWait() : Wait("yield")
{
    internal override Waiting Create(in WaitContext context) => new Yielding();

    private sealed class Yielding : Waiting
    {
        private static readonly int s_polls = Cpu.IsAlone ? 0 : 100;

        protected override bool WaitFor(in WaitTarget target)
        {
            if (Poll(target, s_polls, pauses: 1)) return true;
            Thread.Yield();
            return target.IsOver;
        }
    }
}
