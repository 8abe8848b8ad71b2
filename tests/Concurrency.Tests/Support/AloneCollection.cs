namespace Raceway.Concurrency.Tests.Support;

/// <summary>Tests that count what the whole process does: nothing else runs beside them.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AloneCollection
{
    public const string Name = "alone";
}
