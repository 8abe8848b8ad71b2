namespace Raceway.Rings;

/// <summary>Steps caller-driven stages in an order drawn from a seed: the same seed, the same run. For tests.</summary>
/// <remarks>
/// Uses no thread and no clock of its own. Stages must have been attached with <see cref="Drive.Caller"/>.
/// </remarks>
/// <param name="stages">What to step.</param>
/// <param name="seed">Decides the order and the size of the steps.</param>
public sealed class ManualDriver(IEnumerable<Stage> stages, int seed = 0)
{
    private readonly Stage[] _stages = [.. stages];
    private readonly Random _random = new(seed);

    /// <summary>Steps one of the stages, drawn at random, by up to <paramref name="quantum"/> items.</summary>
    public StepResult StepAny(int quantum = int.MaxValue) =>
        _stages[_random.Next(_stages.Length)].Step(quantum == int.MaxValue ? quantum : _random.Next(1, quantum + 1));

    /// <summary>Steps until no stage has anything to do; returns the items handled, summed over the stages.</summary>
    public long RunUntilIdle()
    {
        long handled = 0;
        bool progressed = true;
        while (progressed)
        {
            progressed = false;
            _random.Shuffle(_stages);
            foreach (Stage stage in _stages)
            {
                StepResult result = stage.Step();
                handled += result.Count;
                progressed |= result.Kind == StepKind.Progressed;
            }
        }

        return handled;
    }
}
