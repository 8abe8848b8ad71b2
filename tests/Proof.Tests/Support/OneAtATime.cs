namespace Raceway.Proof.Tests.Support;

/// <summary>Tests that want the processors to themselves: nothing else of this project runs beside them.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class OneAtATime
{
    public const string Name = "one at a time";
}
