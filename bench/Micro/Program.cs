using BenchmarkDotNet.Running;

BenchmarkSwitcher.FromAssembly(typeof(Raceway.Micro.ClaimPublishConsume).Assembly).Run(args);
