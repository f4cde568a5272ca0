//! A tuning run: variants become proved kernels, kernels become samples, samples become a confirmed winner.
