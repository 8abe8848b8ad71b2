namespace Raceway.Rings;

/// <summary>How far the stages of a <see cref="PoolGroup"/> are, in items.</summary>
/// <param name="Least">What all of them have done with.</param>
/// <param name="Mean">What they have done with on average. Apart, the first stage gets ahead of the last one by up to a whole ring, and
/// the last one catches up again. So the position of either says more about that than about how fast the stages are. The mean does not.</param>
/// <param name="Stages">How many stages there are.</param>
internal readonly record struct GroupPosition(long Least, double Mean, int Stages)
{
    /// <summary>That of <paramref name="stages"/>, one or more, read one after another while they may go on.</summary>
    public static GroupPosition Of(Stage[] stages)
    {
        (long least, long sum) = (long.MaxValue, 0);
        foreach (Stage stage in stages)
        {
            long position = stage.Position;
            least = Math.Min(least, position);
            sum += position;
        }

        return new GroupPosition(least, (double)sum / stages.Length, stages.Length);
    }
}
