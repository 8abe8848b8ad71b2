namespace Raceway.Rings.Tests;

/// <summary>Tests that count what the whole process allocates: nothing else may run beside them.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AllocationGroup
{
    public const string Name = "allocation";
}
